package mroute

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// igmpSocketHolders names the processes that hold raw IGMP sockets, one of which a multicast router is. It sees those
// of this process's namespace of processes that it may look into.
func igmpSocketHolders() []string {
	b, err := os.ReadFile("/proc/thread-self/net/raw")
	if err != nil {
		return nil
	}
	wanted := igmpInodes(string(b))
	if len(wanted) == 0 {
		return nil
	}
	var out []string
	descriptors, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, d := range descriptors {
		target, err := os.Readlink(d)
		if err != nil || !slices.Contains(wanted, target) {
			continue
		}
		process := filepath.Dir(filepath.Dir(d))
		name, _ := os.ReadFile(filepath.Join(process, "comm"))
		one := fmt.Sprintf("%s (pid %s)", strings.TrimSpace(string(name)), filepath.Base(process))
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}

// igmpInodes finds the raw sockets of protocol 2 in the kernel's table, as links below /proc/PID/fd show them.
func igmpInodes(table string) []string {
	const localAddress, inode = 1, 9
	var out []string
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) > inode && strings.HasSuffix(f[localAddress], ":0002") { // raw sockets have the protocol for a port
			out = append(out, "socket:["+f[inode]+"]")
		}
	}
	return out
}
