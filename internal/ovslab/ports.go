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
	return l.changePorts(ctx, addPort(l.Bridge(), port, uint16(number)))
}

// RestartSwitch is as Lab.RestartSwitch; the hosts are connected again.
func (l *NetLab) RestartSwitch(ctx context.Context) error {
	if err := l.Lab.RestartSwitch(ctx); err != nil {
		return err
	}
	return l.makeRoom()
}

// changePorts runs an ovs-vsctl command that adds ports.
func (l *NetLab) changePorts(ctx context.Context, vsctl []string) error {
	if _, err := l.Vsctl(ctx, vsctl...); err != nil {
		return err
	}
	return l.makeRoom()
}

// makeRoom enlarges the receive buffers of the switch's ports.
func (l *NetLab) makeRoom() error {
	if err := enlargeBuffers(l.path(pidOfSwitch)); err != nil {
		return fmt.Errorf("ovslab: receive buffers of the switch: %w", err)
	}
	return nil
}

// addPort is the ovs-vsctl command for a port on an interface that exists.
func addPort(bridge, port string, number uint16) []string {
	return []string{"--may-exist", "add-port", bridge, port, "--",
		"set", "interface", port, fmt.Sprintf("ofport_request=%d", number)}
}
