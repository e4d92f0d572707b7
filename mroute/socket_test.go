package mroute

import (
	"errors"
	"net/netip"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErrnoSurvivesItsName(t *testing.T) {
	k := newFake()
	s := newSocket(k)
	v, err := s.AddVIF(1)
	require.NoError(t, err)
	for errno, want := range map[syscall.Errno]error{
		syscall.ENFILE: ErrNoVIF,
		syscall.EACCES: ErrPermission,
		syscall.EPERM:  ErrPermission,
		syscall.ENOMEM: syscall.ENOMEM,
	} {
		k.fail["addMFC"] = os.NewSyscallError("MRT_ADD_MFC", errno)
		err := s.AddRoute(Route{SG: documented, In: v})
		require.ErrorIs(t, err, want)
		require.ErrorIs(t, err, errno)
		var e *Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, "add route", e.Op)
		require.Equal(t, documented.String(), e.Where)
	}
}

func TestRouteThatTheKernelRefusedChangesNoBooks(t *testing.T) {
	k := newFake()
	s := newSocket(k)
	a, err := s.AddVIF(1)
	require.NoError(t, err)
	b, err := s.AddVIF(2)
	require.NoError(t, err)
	require.NoError(t, s.AddRoute(Route{SG: documented, In: a, Out: []Hop{{VIF: b}}}))
	k.fail["addMFC"] = syscall.ENOMEM
	require.Error(t, s.AddRoute(Route{SG: documented, In: a}))
	k.fail["delMFC"] = syscall.EIO
	require.ErrorIs(t, s.DelRoute(documented), syscall.EIO)
	for r := range s.Routes() {
		require.Equal(t, []Hop{{VIF: b, TTL: 1}}, r.Out)
	}
	require.NoError(t, s.DelVIF(b))
	c, err := s.AddVIF(3)
	require.NoError(t, err)
	require.NotEqual(t, b, c, "the kernel's old route still leads to b")
}

func TestVIFNumberOfSomebodyElseIsLeftAlone(t *testing.T) {
	k := newFake()
	k.vifs[0] = 99
	v, err := newSocket(k).AddVIF(1)
	require.NoError(t, err)
	require.Equal(t, VIF(1), v)
	require.Equal(t, IfIndex(99), k.vifs[0])
}

func TestVIFThatTheKernelKeepsIsNotForgotten(t *testing.T) {
	k := newFake()
	s := newSocket(k)
	v, err := s.AddVIF(1)
	require.NoError(t, err)
	k.fail["delVIF"] = syscall.EACCES
	require.ErrorIs(t, s.DelVIF(v), ErrPermission)
	_, ok := s.Interface(v)
	require.True(t, ok)
}

func TestRefusedRouteMakesNoSystemCall(t *testing.T) {
	k := newFake()
	require.ErrorIs(t, newSocket(k).AddRoute(Route{SG: documented, In: 9}), ErrNoVIF)
	require.Empty(t, k.calls)
}

func TestMessagesThatCannotBeReadAreCountedAndLeftOut(t *testing.T) {
	k := newFake()
	s := newSocket(k)
	_, err := s.AddVIF(1)
	require.NoError(t, err)
	for _, m := range []string{
		"00",
		"4500001c0000000001000900c6336401e9fc00010100000000000000",
		"4500001c0000000001000000c6336401e9fc00010100000000000000",
	} {
		k.messages <- unhex(t, m)
	}
	m, err := s.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, &Upcall{Kind: NoCache, VIF: 0, SG: documented}, m)
	require.Equal(t, Stats{Malformed: 1, UnknownVIF: 1}, s.Stats())
	require.NoError(t, s.Close())
	_, err = s.Read(t.Context())
	require.ErrorIs(t, err, os.ErrClosed)
}

func TestErrorsNameWhatWasDone(t *testing.T) {
	require.NoError(t, fault("x", "y", nil))
	require.EqualError(t, fault("open", "", ErrInUse), "mroute: open: another multicast router owns this table")
	require.EqualError(t, fault("add VIF", IfIndex(3), ErrTableFull), "mroute: add VIF: interface 3: no VIF number is free")
	other := errors.New("other")
	require.Equal(t, other, meaning{}.explain(other))
}

// Nothing of the API has to change when MRT6 is written.
func TestIPv6IsUnsupportedForNow(t *testing.T) {
	_, err := Open(Config{Family: IPv6})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	_, err = FromFile(os.Stdin, Config{Family: IPv6})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	k := newFake()
	s := newSocket(k)
	v, err := s.AddVIF(1)
	require.NoError(t, err)
	k.calls = nil
	six := SG{netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("ff3e::1")}
	require.ErrorIs(t, s.AddRoute(Route{SG: six, In: v}), errors.ErrUnsupported)
	require.ErrorIs(t, s.DelRoute(six), errors.ErrUnsupported)
	_, err = s.RouteCounters(six)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.Empty(t, k.calls)
}

func TestWildcardThatCannotMoveStaysWhereItWas(t *testing.T) {
	k := newFake()
	s := newSocket(k)
	var v []VIF
	for i := range IfIndex(3) {
		n, err := s.AddVIF(1 + i)
		require.NoError(t, err)
		v = append(v, n)
	}
	star := SG{netip.IPv4Unspecified(), documented.Group}
	require.NoError(t, s.AddRoute(Route{SG: star, In: v[0], Out: []Hop{{VIF: v[1]}}}))
	k.fail["delMFC"] = syscall.EIO
	require.ErrorIs(t, s.AddRoute(Route{SG: star, In: v[2], Out: []Hop{{VIF: v[1]}}}), syscall.EIO)
	for r := range s.Routes() {
		require.Equal(t, v[0], r.In)
	}
	delete(k.fail, "delMFC")
	require.NoError(t, s.AddRoute(Route{SG: star, In: v[2]}))
	require.Contains(t, k.wild, wildcard{star, v[2]})
	require.NotContains(t, k.wild, wildcard{star, v[0]})
}
