package ovslab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Config says what lab to start. The zero value works: a bridge br0 without
// ports in a temporary directory.
type Config struct {
	// Dir holds database, sockets, pid files and logs. It is created if it is
	// not there and kept when the lab ends. Empty: a temporary directory,
	// removed when the lab ends. Socket names must fit into 107 bytes, so Dir
	// is best short; where they do not fit, Start fails with ErrPathTooLong.
	Dir string
	// Bridge is the bridge's name, default br0. It starts without flows and
	// forwards nothing of its own accord (fail_mode=secure).
	Bridge string
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

// ErrPathTooLong is wrapped by the error of Start when the name of the
// bridge's management socket would not fit into a socket address.
var ErrPathTooLong = errors.New("socket path longer than 107 bytes")

// maxSocketPath is what fits into sockaddr_un.sun_path beside its final zero.
const maxSocketPath = 107

// prepare fills in the defaults and creates the directory; temporary says
// that it is ours to remove.
func (c *Config) prepare() (temporary bool, err error) {
	if c.Bridge == "" {
		c.Bridge = "br0"
	}
	if c.Protocols == "" {
		c.Protocols = "OpenFlow10,OpenFlow13,OpenFlow15"
	}
	if c.FailMode == "" {
		c.FailMode = "secure"
	}
	if c.Dir == "" {
		c.Dir, err = shortTempDir(len("/" + c.Bridge + mgmtSuffix))
		return true, err
	}
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return false, err
	}
	if path := filepath.Join(c.Dir, c.Bridge+mgmtSuffix); len(path) > maxSocketPath {
		return false, fmt.Errorf("%w: %s", ErrPathTooLong, path)
	}
	return false, os.MkdirAll(c.Dir, 0o700)
}

// shortTempDir makes a directory in which a socket name of tail bytes fits:
// in the usual place, or in /tmp where the usual place lies too deep.
func shortTempDir(tail int) (string, error) {
	parent := os.TempDir()
	const name = "ovslab4294967295"
	if len(parent)+len("/"+name)+tail > maxSocketPath {
		parent = "/tmp"
	}
	return os.MkdirTemp(parent, "ovslab")
}
