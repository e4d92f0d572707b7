package ovslab

import (
	"context"
	"fmt"
	"os"
)

// PortNumber returns the OpenFlow number of the port of that name, also while
// the port is deleted, or 0 if there never was one.
func (l *NetLab) PortNumber(port string) uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return uint32(l.ports[port])
}

// DelPort takes a port off the bridge, of which the switch tells its
// controllers. The hosts behind it run on and reach nobody.
func (l *NetLab) DelPort(ctx context.Context, port string) error {
	_, err := l.Vsctl(ctx, "del-port", l.Bridge(), port)
	return err
}

// AddPort puts a port that DelPort took away back on the bridge, with the
// number it had.
func (l *NetLab) AddPort(ctx context.Context, port string) error {
	number := l.PortNumber(port)
	if number == 0 {
		return fmt.Errorf("ovslab: port %s: %w", port, os.ErrNotExist)
	}
	_, err := l.Vsctl(ctx, addPort(l.Bridge(), port, uint16(number))...)
	return err
}

// addPort is the ovs-vsctl command for a port on an interface that exists.
func addPort(bridge, port string, number uint16) []string {
	return []string{"--may-exist", "add-port", bridge, port, "--",
		"set", "interface", port, fmt.Sprintf("ofport_request=%d", number)}
}
