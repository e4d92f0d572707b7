package ovslab

import "os"

// Config says what lab to start. The zero value works: a bridge without ports.
type Config struct {
	// Ports are dummy ports to add; they get the OpenFlow port numbers 1, 2, …
	// in this order.
	Ports []string
	// Protocols is the bridge's protocols column, default
	// OpenFlow10,OpenFlow13,OpenFlow15.
	Protocols string
	// FailMode is the bridge's fail_mode: secure, the default, forwards nothing
	// but by flows; standalone begins as a learning switch that floods.
	FailMode string
}

// withDefaults completes the configuration.
func (c Config) withDefaults() Config {
	if c.Protocols == "" {
		c.Protocols = "OpenFlow10,OpenFlow13,OpenFlow15"
	}
	if c.FailMode == "" {
		c.FailMode = "secure"
	}
	return c
}

// bridge is what the bridge is called. It starts without flows.
const bridge = "br0"

// shortTempDir makes a directory in which the names of sockets fit: in the usual
// place, or in /tmp where the usual place lies too deep.
func shortTempDir() (string, error) {
	const (
		fits    = 107 // bytes in sockaddr_un.sun_path beside its final zero
		longest = "/ovslab4294967295/r4294967295/" + relaySocket
	)
	parent := os.TempDir()
	if len(parent)+len(longest) > fits {
		parent = "/tmp"
	}
	return os.MkdirTemp(parent, "ovslab")
}
