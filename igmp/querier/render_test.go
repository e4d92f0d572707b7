package querier

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

// asTheLinuxBridge has the addresses and the timing of the querier in the captures.
func asTheLinuxBridge(version uint8, src netip.Addr) func(*Config) {
	return func(c *Config) {
		c.MAC, c.Addrs, c.Versions = igmp.MAC{2, 0, 0, 0, 0xfe, 0xfe}, []netip.Addr{src}, []uint8{version}
		c.QI, c.QRI = 10*time.Second, 2*time.Second
	}
}

func TestTheGeneralQueryIsByteExact(t *testing.T) {
	q := start(t, func(c *Config) { c.Addrs = []netip.Addr{lower} })
	want := unhex(t, "01005e00000100005e005302080046c000240000400001024211c0000201e0000001940400001164ec1e00000000027d0000")
	require.Equal(t, [][]byte{want}, q.Advance(t0))
}

// With the same addresses and timing the Linux kernel sends these very bytes, general, group, and group-and-source.
func TestQueriesEqualTheLinuxKernels(t *testing.T) {
	for capture, version := range map[string]uint8{"kernel-v3": 3, "kernel-v2": 2} {
		general, specific := 0, 0
		for n, p := range packets(t, capture) {
			v := decode(t, p.Data)
			if v.Type != igmp.TypeQuery || v.Version != version {
				continue
			}
			q := start(t, asTheLinuxBridge(version, v.Src))
			if v.Group == nobody {
				require.Equal(t, [][]byte{p.Data}, q.Advance(t0), "%s packet %d", capture, n+1)
				general++
				continue
			}
			got, err := q.Specific(v.Group, slices.Collect(v.Sources()), v.SuppressRouter, v.MaxResp)
			require.NoError(t, err)
			require.Len(t, got, 1)
			specific++
			if version == 3 {
				require.Equal(t, p.Data, got[0], "%s packet %d", capture, n+1)
				continue
			}
			// The bridge sends v2 group queries to 224.0.0.1; RFC 2236 9 says to the group.
			require.Equal(t, v.Payload(), decode(t, got[0]).Payload())
			require.Equal(t, v.Group, decode(t, got[0]).Dst)
		}
		require.GreaterOrEqual(t, general, 10, capture)
		require.GreaterOrEqual(t, specific, 10, capture)
	}
}

func TestVersion1IsEightBytesWithCodeZero(t *testing.T) {
	q := start(t, func(c *Config) { c.Versions = []uint8{1} })
	frames := q.Advance(t0)
	require.Len(t, frames, 1)
	v := decode(t, frames[0])
	require.Equal(t, uint8(1), v.Version)
	require.Equal(t, unhex(t, "1100eeff00000000"), v.Payload())
	require.Equal(t, addr("224.0.0.1"), v.Dst)
}

func TestEveryFieldOfAFrame(t *testing.T) {
	vlans := []igmp.VLAN{{TPID: 0x88a8, ID: 7}, {TPID: 0x8100, ID: 100, Priority: 6}}
	q := start(t, func(c *Config) {
		c.VLANs, c.RV, c.QI, c.QRI = vlans, 3, 200*time.Second, 25500*time.Millisecond
	})
	frames := q.Advance(t0)
	require.Len(t, frames, 1)
	v := decode(t, frames[0])
	require.Equal(t, ourMAC, v.EthSrc)
	require.Equal(t, igmp.MAC{1, 0, 0x5e, 0, 0, 1}, v.EthDst)
	require.Equal(t, vlans, v.VLANs())
	require.Equal(t, ours, v.Src)
	require.Equal(t, addr("224.0.0.1"), v.Dst)
	require.Equal(t, uint8(1), v.TTL)
	require.Equal(t, uint8(0xc0), v.TOS)
	require.True(t, v.RouterAlert)
	require.Equal(t, uint8(3), v.Version)
	require.Equal(t, uint8(3), v.QRV)
	require.False(t, v.SuppressRouter)
	require.Equal(t, nobody, v.Group)
	require.Equal(t, 24800*time.Millisecond, v.MaxResp, "rounded down: hosts never have longer than we wait")
	require.Equal(t, 200*time.Second, v.QQI, "in the floating-point form")
	require.Zero(t, v.NumSources())
}

func TestARobustnessThatDoesNotFitIsNotTold(t *testing.T) {
	for rv, want := range map[int]uint8{1: 1, 7: 7, 8: 0, 9: 0, 255: 0} {
		q := start(t, func(c *Config) { c.RV = rv })
		require.Equal(t, want, decode(t, q.Advance(t0)[0]).QRV, rv)
	}
}

// Once with nothing known, once while a querier's values are in force elsewhere: a querier writes its own.
func TestAfterATakeoverTheQueryIsTheSame(t *testing.T) {
	q := start(t)
	first := slices.Clone(q.Advance(t0)[0])
	h := heard(lower, t0)
	h.QRV, h.QQI = 1, 20*time.Second
	q.HandleQuery(h)
	require.Equal(t, [][]byte{first}, q.Advance(at(25)))
}

func TestFramesMayBeWrittenTo(t *testing.T) {
	q := start(t, func(c *Config) { c.Versions = []uint8{2, 3} })
	q.Advance(t0) // now they have one array, large enough for both
	frames := q.Advance(at(31.25))
	want := [][]byte{slices.Clone(frames[0]), slices.Clone(frames[1])}
	_ = append(frames[0], 0xff) // must not reach into the next
	require.Equal(t, want[1], frames[1])
	clear(frames[0])
	clear(frames[1])
	require.Equal(t, want, q.Advance(at(156.25)))
}

func TestVersionsTogetherAreSentInTheirOrder(t *testing.T) {
	q := start(t, func(c *Config) { c.Versions = []uint8{3, 1, 2} })
	for _, now := range []float64{0, 31.25, 156.25} {
		var versions []uint8
		for _, frame := range q.Advance(at(now)) {
			versions = append(versions, decode(t, frame).Version)
		}
		require.Equal(t, []uint8{1, 2, 3}, versions)
	}
}

// The floating-point form of the time is version 3's: 20 s are 200 tenths.
func TestVersion2IsEightBytesWithPlainTenths(t *testing.T) {
	q := start(t, func(c *Config) { c.Versions, c.QRI, c.LMQI = []uint8{2}, 20*time.Second, 13*time.Second })
	require.Equal(t, unhex(t, "11c8ee3700000000"), decode(t, q.Advance(t0)[0]).Payload())
	frames, err := q.Specific(group, nil, true, 0)
	require.NoError(t, err)
	v := decode(t, frames[0])
	require.Equal(t, []byte{0x11, 130}, v.Payload()[:2])
	require.Len(t, v.Payload(), 8, "no S flag, no times")
}
