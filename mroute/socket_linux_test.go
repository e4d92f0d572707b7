package mroute

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	source = netip.MustParseAddr("10.0.1.2") // the address of host 1
	group  = netip.MustParseAddr("233.252.0.1")
)

// open makes a Socket in a namespace of the test's own.
func open(t testing.TB) *Socket {
	t.Helper()
	s, err := Open(Config{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// addVIFs gives each interface a VIF.
func addVIFs(t testing.TB, s *Socket, interfaces ...IfIndex) []VIF {
	t.Helper()
	out := make([]VIF, len(interfaces))
	for n, i := range interfaces {
		v, err := s.AddVIF(i)
		require.NoError(t, err)
		out[n] = v
	}
	return out
}

// upcall reads the next upcall, leaving out IGMP packets.
func upcall(t *testing.T, s *Socket) *Upcall {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		m, err := s.Read(ctx)
		require.NoError(t, err)
		if u, ok := m.(*Upcall); ok {
			return u
		}
	}
}

// flush does behind the Socket's back what another tool with the right to can do.
func flush(t *testing.T, s *Socket) {
	t.Helper()
	require.NoError(t, s.kernel.flush(FlushRoutes))
}

func TestSecondOwnerIsErrInUseAndDisturbsNothing(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	first := open(t)
	_, err := Open(Config{})
	require.ErrorIs(t, err, ErrInUse)
	require.ErrorIs(t, err, syscall.EADDRINUSE)
	addVIFs(t, first, dummies(t, 1)...)
	require.NoError(t, first.Close())
	open(t)
}

func TestTablesHaveAnOwnerEach(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	open(t)
	other, err := Open(Config{Table: 77})
	require.NoError(t, err)
	defer other.Close()
	_, err = Open(Config{Table: 77})
	require.ErrorIs(t, err, ErrInUse)
	_, err = Open(Config{Table: 1_000_000_000})
	require.ErrorIs(t, err, syscall.EINVAL)
	addVIFs(t, other, dummies(t, 1)...)
}

func TestCloseEmptiesTheKernel(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	v := addVIFs(t, s, dummies(t, 2)...)
	require.NoError(t, s.AddRoute(Route{SG: SG{source, group}, In: v[0], Out: []Hop{{VIF: v[1]}}}))
	require.Contains(t, kernelTable(t, "ip_mr_vif"), "d1")
	require.Contains(t, kernelTable(t, "ip_mr_cache"), "0100FCE9")

	require.NoError(t, s.Close())
	require.NotContains(t, kernelTable(t, "ip_mr_vif"), "d1")
	require.NotContains(t, kernelTable(t, "ip_mr_cache"), "0100FCE9")
	require.NoError(t, s.Close(), "closing is idempotent")
	require.ErrorIs(t, s.AddRoute(Route{SG: SG{source, group}, In: v[0]}), os.ErrClosed)
	_, err := s.RouteCounters(SG{source, group})
	require.ErrorIs(t, err, os.ErrClosed)
	_, err = s.Read(t.Context())
	require.ErrorIs(t, err, os.ErrClosed)
}

func TestReadingStopsWithItsContext(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan error)
	for range 3 {
		go func() {
			_, err := s.Read(ctx)
			stopped <- err
		}()
	}
	cancel()
	for range 3 {
		require.ErrorIs(t, <-stopped, context.Canceled)
	}

	// The next reader is not disturbed by the one that stopped.
	host := newHost(t, 1)
	addVIFs(t, s, index(t, "v1"))
	send(t, host.sender(t), group.String(), "x")
	require.Equal(t, &Upcall{Kind: NoCache, VIF: 0, SG: SG{source, group}}, upcall(t, s))
}

func TestCloseEndsReaders(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	stopped := make(chan error)
	for range 3 {
		go func() {
			_, err := s.Read(context.Background())
			stopped <- err
		}()
	}
	require.NoError(t, s.Close())
	for range 3 {
		require.ErrorIs(t, <-stopped, os.ErrClosed)
	}
}

func TestStreamGoesThroughARouteAndIsCounted(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from, to := newHost(t, 1), newHost(t, 2)
	s := open(t)
	v := addVIFs(t, s, index(t, "v1"), index(t, "v2"))
	in, out := from.sender(t), to.udp(t, group.String()+":5000")

	send(t, in, group.String(), "first")
	require.Equal(t, &Upcall{Kind: NoCache, VIF: v[0], SG: SG{source, group}}, upcall(t, s))
	require.NoError(t, s.AddRoute(Route{SG: SG{source, group}, In: v[0], Out: []Hop{{VIF: v[1]}}}))
	require.Equal(t, "first", receive(t, out), "the kernel held the packet that asked for the route")
	for _, text := range []string{"second", "third"} {
		send(t, in, group.String(), text)
		require.Equal(t, text, receive(t, out))
	}

	c, err := s.RouteCounters(SG{source, group})
	require.NoError(t, err)
	require.Equal(t, RouteCounters{Packets: 3, Bytes: 3*28 + 5 + 6 + 5}, c)
	vc, err := s.VIFCounters(v[0])
	require.NoError(t, err)
	require.Equal(t, VIFCounters{PacketsIn: 3, BytesIn: 100}, vc)
	vc, err = s.VIFCounters(v[1])
	require.NoError(t, err)
	require.Equal(t, VIFCounters{PacketsOut: 3, BytesOut: 100}, vc)
}

func TestThresholdHoldsBackPacketsOfLowTTL(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from, to := newHost(t, 1), newHost(t, 2)
	s := open(t)
	v := addVIFs(t, s, index(t, "v1"), index(t, "v2"))
	in, out := from.sender(t), to.udp(t, group.String()+":5000")
	route := Route{SG: SG{source, group}, In: v[0], Out: []Hop{{VIF: v[1], TTL: 16}}}
	require.NoError(t, s.AddRoute(route))
	send(t, in, group.String(), "TTL 16 is not above 16")
	route.Out[0].TTL = 15
	require.NoError(t, s.AddRoute(route))
	send(t, in, group.String(), "TTL 16 is above 15")
	require.Equal(t, "TTL 16 is above 15", receive(t, out))
}

func TestWrongVIFArrivesAlsoFromAnInterfaceThatIsNotOutgoing(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	moved := newHost(t, 1)
	s := open(t)
	v := addVIFs(t, s, append(dummies(t, 2), index(t, "v1"))...)
	require.NoError(t, s.AddRoute(Route{SG: SG{source, group}, In: v[1], Out: []Hop{{VIF: v[0]}}}))
	send(t, moved.sender(t), group.String(), "x")
	require.Equal(t, &Upcall{Kind: WrongVIF, VIF: v[2], SG: SG{source, group}}, upcall(t, s))
	c, err := s.RouteCounters(SG{source, group})
	require.NoError(t, err)
	require.Equal(t, uint64(1), c.WrongIf)
	require.Zero(t, c.Good(), "a packet at the wrong interface is no sign of life")
}

func TestNegativeEntryStopsUpcallsAndBecomesARouteInPlace(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from, to := newHost(t, 1), newHost(t, 2)
	s := open(t)
	v := addVIFs(t, s, index(t, "v1"), index(t, "v2"))
	in, out := from.sender(t), to.udp(t, group.String()+":5000")
	require.NoError(t, s.AddRoute(Route{SG: SG{source, group}, In: v[0]}))
	send(t, in, group.String(), "nobody wants it")
	require.NoError(t, s.AddRoute(Route{SG: SG{source, group}, In: v[0], Out: []Hop{{VIF: v[1]}}}))
	send(t, in, group.String(), "wanted")
	require.Equal(t, "wanted", receive(t, out))

	// The first upcall is that of another group: the first packet caused none.
	send(t, in, "233.252.0.2", "other")
	require.Equal(t, "233.252.0.2", upcall(t, s).Group.String())
}

func TestRouteTheKernelLostIsDeletedAndCountedAsSuch(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	v := addVIFs(t, s, dummies(t, 1)...)
	require.NoError(t, s.AddRoute(Route{SG: SG{source, group}, In: v[0]}))
	flush(t, s)
	_, err := s.RouteCounters(SG{source, group})
	require.ErrorIs(t, err, ErrNoRoute)
	require.ErrorIs(t, err, syscall.EADDRNOTAVAIL)
	require.NoError(t, s.DelRoute(SG{source, group}), "it is not there, as was wanted")
	for range s.Routes() {
		t.Error("the books have a route")
	}
}

func TestRoutesAreKeyedBySourceAndGroup(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	v := addVIFs(t, s, dummies(t, 3)...)
	mapped := netip.AddrFrom16(group.As16())
	require.NoError(t, s.AddRoute(Route{SG: SG{source, group}, In: v[1], Out: []Hop{{VIF: v[0]}}}))
	require.NoError(t, s.AddRoute(Route{SG: SG{source, mapped}, In: v[2], Out: []Hop{{VIF: v[0]}}}))
	var all []Route
	for r := range s.Routes() {
		all = append(all, r)
	}
	require.Equal(t, []Route{{SG: SG{source, group}, In: v[2], Out: []Hop{{VIF: v[0], TTL: 1}}}}, all)
	require.Regexp(t, `(?m)^0100FCE9 0201000A 2 +0 +0 +0 +0:1`, kernelTable(t, "ip_mr_cache"))
}

func TestIGMPOnTheRoutingSocketIsToldFromUpcalls(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	h := newHost(t, 1)
	s := open(t)
	addVIFs(t, s, index(t, "v1"))
	// The router listens to the all-routers group of IGMPv3, as the report's destination.
	j := NewJoiner()
	defer j.Close()
	require.NoError(t, j.Set(Membership{Interface: index(t, "v1"), Group: group}, AnySource()))
	require.NoError(t, h.run(func() error {
		fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, syscall.IPPROTO_IGMP)
		if err != nil {
			return err
		}
		defer syscall.Close(fd)
		report := []byte{0x16, 0, 0, 0, 233, 252, 0, 1}
		return errors.Join(syscall.Sendto(fd, report, 0, &syscall.SockaddrInet4{Addr: group.As4()}))
	}))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	m, err := s.Read(ctx)
	require.NoError(t, err)
	require.Equal(t, &IGMP{Source: source, Destination: group, Payload: []byte{0x16, 0, 0, 0, 233, 252, 0, 1}}, m)
}

func TestWithoutTheRightToItIsErrPermission(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	// Of this thread alone, which ends with the test.
	_, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, nobody, nobody, nobody)
	require.Zero(t, errno)
	_, err := Open(Config{})
	require.ErrorIs(t, err, ErrPermission)
	require.ErrorIs(t, err, syscall.EPERM)
}

const nobody = 65534

func TestPacketForTheRegisterInterfaceComesWhole(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from := newHost(t, 1)
	s := open(t)
	v := addVIFs(t, s, index(t, "v1"))
	register, err := s.AddRegisterVIF()
	require.NoError(t, err)
	i, ok := s.Interface(register)
	require.True(t, ok)
	require.Equal(t, index(t, "pimreg"), i)
	again, err := s.AddRegisterVIF()
	require.ErrorIs(t, err, ErrVIFExists)
	require.Equal(t, register, again)
	require.NoError(t, s.AddRoute(Route{SG: SG{source, group}, In: v[0], Out: []Hop{{VIF: register}}}))
	send(t, from.sender(t), group.String(), "register me")
	u := upcall(t, s)
	require.Equal(t, WholePkt, u.Kind)
	require.Equal(t, register, u.VIF)
	require.Equal(t, SG{source, group}, u.SG)
	require.Len(t, u.Packet, 28+len("register me"))
	require.Equal(t, byte(0x45), u.Packet[0])
	require.Equal(t, "register me", string(u.Packet[28:]))
}

func TestCloseEndsTheRoutingThoughACopyOfTheDescriptorIsLeft(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	addVIFs(t, s, dummies(t, 1)...)
	leaked, err := syscall.Dup(s.kernel.(*routingSocket).fd)
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Close(leaked) })
	require.NoError(t, s.Close())
	require.NotContains(t, kernelTable(t, "ip_mr_vif"), "d0")
	open(t)
}

func TestRoutesAreMadeAndCountedWithoutAllocating(t *testing.T) {
	enterNamespace(t)
	s := open(t)
	v := addVIFs(t, s, dummies(t, 2)...)
	r := Route{SG: SG{source, group}, In: v[0], Out: []Hop{{VIF: v[1]}}}
	require.NoError(t, s.AddRoute(r))
	require.Zero(t, testing.AllocsPerRun(100, func() { _ = s.AddRoute(r) }), "replaced in place")
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = s.RouteCounters(r.SG) }))
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = s.DelRoute(r.SG), s.AddRoute(r) }), "made anew")
}
