package ovslab

import (
	"fmt"
	"os"
	"runtime"
)

// netTools are the absolute paths of what builds the network around a switch.
type netTools struct {
	ip, ethtool, nsenter string
}

// findNetTools also says whether this process may build one at all.
func findNetTools() (netTools, error) {
	var t netTools
	if runtime.GOOS == "linux" && os.Geteuid() != 0 {
		return t, fmt.Errorf("%w: not root", ErrNoNamespaces)
	}
	for name, path := range map[string]*string{"ip": &t.ip, "ethtool": &t.ethtool, "nsenter": &t.nsenter} {
		found, ok := findProgram(name)
		if !ok {
			return netTools{}, fmt.Errorf("%w: no %s", ErrNoNamespaces, name)
		}
		*path = found
	}
	return t, nil
}
