package querier

import (
	"net/netip"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

func TestASpecificQueryIsOneTransmission(t *testing.T) {
	q := start(t, func(c *Config) { c.Addrs = addrs("192.0.2.9", "192.0.2.3") })
	frames, err := q.Specific(group, addrs("198.51.100.1", "198.51.100.2", "198.51.100.3"), false, time.Second)
	require.NoError(t, err)
	require.Len(t, frames, 1)
	v := decode(t, frames[0])
	require.Equal(t, unhex(t, "110a83d5e9fc0001027d0003c6336401c6336402c6336403"), v.Payload())
	require.Equal(t, ours, v.Src)
	require.Equal(t, group, v.Dst)
	require.Equal(t, igmp.MAC{1, 0, 0x5e, 0x7c, 0, 1}, v.EthDst)
	require.Equal(t, uint64(1), q.Counters().SpecificQueries)
}

func TestTheSFlagAndTheTimeAreTheCallers(t *testing.T) {
	q := start(t, func(c *Config) { c.LMQI = 2 * time.Second })
	for _, c := range []struct {
		suppress   bool
		resp, want time.Duration
	}{{true, 500 * time.Millisecond, 500 * time.Millisecond}, {false, 0, 2 * time.Second}} {
		frames, err := q.Specific(group, nil, c.suppress, c.resp)
		require.NoError(t, err)
		v := decode(t, frames[0])
		require.Equal(t, c.suppress, v.SuppressRouter)
		require.Equal(t, c.want, v.MaxResp)
		require.Equal(t, uint8(2), v.QRV)
		require.Equal(t, 125*time.Second, v.QQI)
	}
}

// 5000 sources are 14 packets of at most 366, each a whole query with the S flag and QRV.
func TestSourcesBeyondTheMTUAreSplit(t *testing.T) {
	var sources []netip.Addr
	for i := range 5000 {
		sources = append(sources, netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}))
	}
	q := start(t)
	frames, err := q.Specific(group, sources, true, time.Second)
	require.NoError(t, err)
	require.Len(t, frames, 14)
	var got []netip.Addr
	for _, frame := range frames {
		require.LessOrEqual(t, len(frame), 14+1500)
		v := decode(t, frame)
		require.True(t, v.SuppressRouter)
		require.Equal(t, uint8(2), v.QRV)
		require.Equal(t, group, v.Group)
		for a := range v.Sources() {
			got = append(got, a)
		}
	}
	require.Equal(t, sources, got)
	require.Equal(t, uint64(14), q.Counters().SpecificQueries)

	small := start(t, func(c *Config) { c.MTU = 576 })
	frames, err = small.Specific(group, sources[:136], true, time.Second)
	require.NoError(t, err)
	require.Len(t, frames, 2, "135 fit into 576 bytes")
}

func TestVersion2AsksForTheGroupWhateverTheSources(t *testing.T) {
	q := start(t, func(c *Config) { c.Versions = []uint8{2} })
	frames, err := q.Specific(group, addrs("198.51.100.1"), true, time.Second)
	require.NoError(t, err)
	require.Len(t, frames, 1)
	v := decode(t, frames[0])
	require.Equal(t, uint8(2), v.Version)
	require.Equal(t, group, v.Group)
	require.Equal(t, time.Second, v.MaxResp)
	require.Len(t, v.Payload(), 8)
}

func TestVersion1HasNoSpecificQuery(t *testing.T) {
	q := start(t, func(c *Config) { c.Versions = []uint8{1} })
	frames, err := q.Specific(group, nil, false, time.Second)
	require.ErrorIs(t, err, ErrNoSpecific)
	require.Nil(t, frames)
	require.True(t, q.State().Querier)
	require.True(t, q.State().Timing.NonQuerier, "a cache must not act on leaves")
}

// One v2 query more would make hosts fall back; the newest is answered by all.
func TestOfVersionsTogetherTheNewestAsksSpecifically(t *testing.T) {
	q := start(t, func(c *Config) { c.Versions = []uint8{1, 2, 3} })
	frames, err := q.Specific(group, nil, false, time.Second)
	require.NoError(t, err)
	require.Len(t, frames, 1)
	require.Equal(t, uint8(3), decode(t, frames[0]).Version)
	require.False(t, q.State().Timing.NonQuerier)
}

func TestWhoIsNotTheQuerierAsksNothing(t *testing.T) {
	q := start(t)
	q.HandleQuery(heard(lower, t0))
	_, err := q.Specific(group, nil, false, time.Second)
	require.ErrorIs(t, err, ErrNotQuerier)
	require.Equal(t, uint64(1), q.Counters().SpecificRefused)
	require.Zero(t, q.Counters().SpecificQueries)

	q.Advance(at(255))
	_, err = q.Specific(group, nil, false, time.Second)
	require.NoError(t, err)
}

func TestARequestThatCannotBeSentIsRefusedWhole(t *testing.T) {
	many := make([]netip.Addr, 400)
	for i := range many {
		many[i] = addr("198.51.100.1")
	}
	many[399] = addr("2001:db8::1") // in the second part
	for name, c := range map[string]struct {
		version uint8
		group   netip.Addr
		sources []netip.Addr
		resp    time.Duration
		want    error
	}{
		"0.0.0.0 would be a general query": {3, nobody, nil, time.Second, igmp.ErrDestination},
		"unicast":                          {3, lower, nil, time.Second, igmp.ErrDestination},
		"IPv6":                             {3, addr("ff02::1"), nil, time.Second, igmp.ErrDestination},
		"no group":                         {3, netip.Addr{}, nil, time.Second, igmp.ErrDestination},
		"a source of the other family":     {3, group, many, time.Second, igmp.ErrAddress},
		"negative time":                    {3, group, nil, -1, igmp.ErrTime},
		"too long for version 3":           {3, group, nil, time.Hour, igmp.ErrTime},
		"too long for version 2":           {2, group, nil, 30 * time.Second, igmp.ErrTime},
	} {
		t.Run(name, func(t *testing.T) {
			q := start(t, func(cfg *Config) { cfg.Versions = []uint8{c.version} })
			frames, err := q.Specific(c.group, c.sources, false, c.resp)
			require.ErrorIs(t, err, c.want)
			var e *Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.group.String(), e.Where)
			require.Nil(t, frames)
			require.Equal(t, Counters{SpecificRefused: 1}, q.Counters())
			require.Len(t, q.Advance(t0), 1, "and the general query is not spoilt")
		})
	}
}

func TestAMappedGroupIsThatGroup(t *testing.T) {
	frames, err := start(t).Specific(addr("::ffff:233.252.0.1"), addrs("::ffff:198.51.100.1"), false, 0)
	require.NoError(t, err)
	require.Equal(t, group, decode(t, frames[0]).Group)
}
