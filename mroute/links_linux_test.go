package mroute

import (
	"context"
	"encoding/binary"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// linkMessage is what the kernel sends of an interface.
func linkMessage(kind uint16, seq uint32, family byte, index uint32, name string) syscall.NetlinkMessage {
	b := make([]byte, syscall.SizeofIfInfomsg, 64)
	b[0] = family
	binary.NativeEndian.PutUint32(b[4:], index)
	b = binary.NativeEndian.AppendUint16(b, uint16(4+len(name)+1))
	b = binary.NativeEndian.AppendUint16(b, syscall.IFLA_IFNAME)
	b = append(append(b, name...), 0)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return syscall.NetlinkMessage{Header: syscall.NlMsghdr{Type: kind, Seq: seq}, Data: b}
}

func done(seq uint32) syscall.NetlinkMessage {
	return syscall.NetlinkMessage{Header: syscall.NlMsghdr{Type: syscall.NLMSG_DONE, Seq: seq}, Data: make([]byte, 4)}
}

func refused(errno syscall.Errno) syscall.NetlinkMessage {
	b := binary.NativeEndian.AppendUint32(nil, uint32(-int32(errno)))
	return syscall.NetlinkMessage{Header: syscall.NlMsghdr{Type: syscall.NLMSG_ERROR}, Data: b}
}

func links(t *testing.T) *netlinkSocket {
	t.Helper()
	source, err := openLinks()
	require.NoError(t, err)
	t.Cleanup(func() { _ = source.close() })
	return source.(*netlinkSocket)
}

func TestChangesWhileAllIsListedAreNewerThanTheList(t *testing.T) {
	s := links(t)
	e, err := s.take([]syscall.NetlinkMessage{
		linkMessage(syscall.RTM_NEWLINK, 1, 0, 7, "eth0"),
		linkMessage(syscall.RTM_DELLINK, 0, 0, 7, "eth0"),
	})
	require.NoError(t, err)
	require.Equal(t, linkEvent{}, e)
	e, err = s.take([]syscall.NetlinkMessage{
		linkMessage(syscall.RTM_NEWLINK, 1, 0, 8, "eth1"), done(1), linkMessage(syscall.RTM_NEWLINK, 0, 0, 9, "eth0"),
	})
	require.NoError(t, err)
	require.Equal(t, linkEvent{complete: true, links: []link{
		{7, "eth0", false}, {7, "eth0", true}, {8, "eth1", false}, {9, "eth0", false},
	}}, e)
}

func TestPortThatLeavesItsBridgeHasNotVanished(t *testing.T) {
	s := links(t)
	s.dumping = false
	e, err := s.take([]syscall.NetlinkMessage{linkMessage(syscall.RTM_DELLINK, 0, syscall.AF_BRIDGE, 7, "eth0")})
	require.NoError(t, err)
	require.Empty(t, e.links)
}

func TestListThatWasInterruptedIsAskedForAgain(t *testing.T) {
	s := links(t)
	require.NoError(t, s.ask()) // what next does when messages were lost
	e, err := s.take([]syscall.NetlinkMessage{
		refused(syscall.EBUSY), linkMessage(syscall.RTM_NEWLINK, 1, 0, 7, "eth0"), done(1),
	})
	require.NoError(t, err)
	require.Equal(t, linkEvent{}, e, "the old list lacks what was lost")
	require.Equal(t, uint32(3), s.request)
	require.True(t, s.dumping)
	_, err = s.take([]syscall.NetlinkMessage{refused(syscall.EPERM)})
	require.ErrorIs(t, err, syscall.EPERM)
}

func TestInterfacesAreFollowedAlsoWhenMessagesWereLost(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := links(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	first, err := s.next(ctx)
	require.NoError(t, err)
	require.True(t, first.complete)
	require.Equal(t, []link{{1, "lo", false}}, first.links)

	// More than the socket holds, and nobody reads.
	raw, err := s.f.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(fd uintptr) {
		require.NoError(t, syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 1))
	}))
	var lines []string
	for n := range 20 {
		lines = append(lines, fmt.Sprintf("link set lo alias x%d", n))
	}
	ip(t, append(lines, "link add d0 type veth peer name d1", "link del d0", "link add d2 type veth peer name d3")...)
	for {
		e, err := s.next(ctx)
		require.NoError(t, err)
		if !e.complete {
			continue
		}
		names := map[string]bool{}
		for _, l := range e.links {
			names[l.name] = !l.gone
		}
		require.Equal(t, map[string]bool{"lo": true, "d2": true, "d3": true}, names)
		return
	}
}

func TestLinkEventIsTakenAsAWhole(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.out[documented.Group] = []Out{{Interface: "out0"}}
	b.packet(0, documented)
	b.linkChange(linkEvent{complete: true, links: []link{{10, "in0", false}, {21, "out1", false}, {30, "out0", false}}})
	require.Equal(t, map[string]IfIndex{"in0": 10, "out0": 30, "out1": 21}, b.links)
	require.Equal(t, IfIndex(30), b.kernel.vifs[1], "the number of in1, which is gone")
	require.Equal(t, ttls{1: 1}, b.kernel.routes[documented].out)
	b.linkChange(linkEvent{links: []link{{40, "out2", false}, {40, "out2", true}, {30, "renamed", false}}})
	require.Equal(t, map[string]IfIndex{"in0": 10, "renamed": 30, "out1": 21}, b.links)
	require.Equal(t, ttls{}, b.kernel.routes[documented].out)
}
