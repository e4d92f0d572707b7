package ovslab

import (
	"context"
	"fmt"
	"net/netip"
)

// hostInterface is what every host calls its only interface.
const hostInterface = "eth0"

// Host is one machine of a lab: a namespace with the interface eth0 behind a
// port of the switch. Its methods may be called from any number of goroutines.
type Host struct {
	*Namespace
	lab   *NetLab
	cfg   HostConfig
	n     int // counts the lab's hosts from 1 on
	index int // of eth0 in its namespace
}

// Name returns the host's name.
func (h *Host) Name() string { return h.cfg.Name }

// Addr returns the host's IPv4 address.
func (h *Host) Addr() netip.Addr { return h.cfg.Addr.Addr() }

// Addr6 returns the host's global IPv6 address, 2001:db8::N, which it has if
// its configuration says so.
func (h *Host) Addr6() netip.Addr {
	return netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 15: byte(h.n)})
}

// MAC returns the host's address on the wire, 00:00:5e:00:53:NN, in the form
// that ip and ovs-ofctl print.
func (h *Host) MAC() string { return fmt.Sprintf("00:00:5e:00:53:%02x", h.n) }

// Port returns the name of the switch port that the host is behind, or of the
// uplink that it is beyond.
func (h *Host) Port() string { return h.cfg.Port }

// PortNumber returns the OpenFlow number of that port, 0 for an uplink.
func (h *Host) PortNumber() uint32 { return h.lab.PortNumber(h.cfg.Port) }

// Crash ends the host as a pulled plug does: first its cable, so that nothing
// it does while it ends, such as leaving groups, is heard; then its sockets and
// programs. The host is gone from the lab. Where it was alone behind its port,
// the port's interface is gone too: the switch reports the port's link as down,
// and keeps the port until DelPort or until AddHosts puts another host there.
func (h *Host) Crash(ctx context.Context) error {
	if _, err := h.Run(ctx, h.lab.netTools.ip, "link", "delete", "dev", hostInterface); err != nil {
		return err
	}
	h.lab.mu.Lock()
	delete(h.lab.hosts, h.cfg.Name)
	h.lab.mu.Unlock()
	return h.close()
}
