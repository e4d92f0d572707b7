package ovslab

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
)

// Membership is a socket of a host that is a member of a group. The host as a
// whole listens to what its memberships want together.
type Membership struct {
	host   *Host
	group  netip.Addr
	socket *os.File
}

// Join makes the host a member of an IPv4 group: of any source, or of the given
// sources only (INCLUDE). The kernel reports it at once, in the host's version
// of IGMP. The membership lasts until Leave, or until the lab ends.
func (h *Host) Join(group netip.Addr, sources ...netip.Addr) (*Membership, error) {
	if err := check4(append(sources, group)); err != nil {
		return nil, fmt.Errorf("ovslab: join: %w", err)
	}
	socket, err := h.openSocket(openMember)
	if err != nil {
		return nil, fmt.Errorf("ovslab: join: %w", err)
	}
	if err := joinGroup(socket, h.index, h.Addr(), group, sources); err != nil {
		return nil, errors.Join(fmt.Errorf("ovslab: join %v: %w", group, err), socket.Close())
	}
	m := &Membership{host: h, group: group, socket: socket}
	return m, h.adopt(io.Closer(socket))
}

// Include changes the membership to these sources only, in one step. Without
// sources it is as Leave, but the Membership can be used on, with Exclude only
// after a new Join.
func (m *Membership) Include(sources ...netip.Addr) error { return m.filter(modeInclude, sources) }

// Exclude changes the membership to all sources but these, in one step.
func (m *Membership) Exclude(sources ...netip.Addr) error { return m.filter(modeExclude, sources) }

// Leave ends the membership; the kernel tells the network if the host's version
// of IGMP can.
func (m *Membership) Leave() error {
	m.host.disown(m.socket)
	return m.socket.Close()
}

func (m *Membership) filter(mode uint32, sources []netip.Addr) error {
	if err := check4(sources); err != nil {
		return fmt.Errorf("ovslab: filter: %w", err)
	}
	if err := filterGroup(m.socket, m.host.Addr(), m.group, mode, sources); err != nil {
		return fmt.Errorf("ovslab: filter of %v: %w", m.group, err)
	}
	return nil
}

// Filter modes of struct ip_msfilter.
const (
	modeExclude = 0
	modeInclude = 1
)

func check4(addrs []netip.Addr) error {
	for _, a := range addrs {
		if !a.Is4() {
			return fmt.Errorf("%w: %v is no IPv4 address", ErrConfig, a)
		}
	}
	return nil
}
