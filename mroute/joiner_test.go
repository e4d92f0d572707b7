package mroute

import (
	"net/netip"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeMember makes a membership and then has no memory for its source, as the kernel may when socket memory runs out.
type fakeMember struct {
	joined map[place]bool
	err    error
}

func (m *fakeMember) join(p place) error {
	m.joined[p] = true
	return nil
}

func (m *fakeMember) leave(p place) error {
	if m.err != nil {
		return m.err
	}
	delete(m.joined, p)
	return nil
}

func (m *fakeMember) joinSource(p place, _ netip.Addr) error {
	m.joined[p] = true
	return syscall.ENOBUFS
}

func (m *fakeMember) leaveSource(place, netip.Addr) error { return nil }
func (m *fakeMember) setFilter(place, Filter) error       { return nil }
func (m *fakeMember) close() error                        { return nil }

func fakeJoiner() (*Joiner, *fakeMember) {
	m := &fakeMember{joined: map[place]bool{}}
	j := NewJoiner()
	j.open = func() (memberSocket, error) { return m, nil }
	return j, m
}

func TestSourceThatWasRefusedLeavesNoMembershipBehind(t *testing.T) {
	j, m := fakeJoiner()
	require.NoError(t, j.Set(Membership{Interface: 1, Group: documented.Group}, AnySource()))
	other := Membership{Interface: 1, Group: documented.Group.Next()}
	err := j.Set(other, Only(documented.Source))
	require.ErrorIs(t, err, ErrMemberships)
	require.ErrorIs(t, err, syscall.ENOBUFS)
	require.Equal(t, map[place]bool{{1, documented.Group}: true}, m.joined)
	require.NoError(t, j.Leave(other))
	require.Equal(t, JoinerStats{Places: 1, Sockets: 1}, j.Stats())
}

func TestLeaveThatFailedIsTriedAgain(t *testing.T) {
	j, m := fakeJoiner()
	at := Membership{Interface: 1, Group: documented.Group}
	require.NoError(t, j.Set(at, AnySource()))
	m.err = syscall.EIO
	require.ErrorIs(t, j.Leave(at), syscall.EIO)
	require.Equal(t, 1, j.Stats().Places)
	m.err = syscall.EADDRNOTAVAIL
	require.NoError(t, j.Leave(at), "it is not there, as was wanted")
	require.Zero(t, j.Stats())
}
