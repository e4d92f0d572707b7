package querier

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

const hostileLen = 24

// hostile reads from a chunk what somebody may send, a frame's limits aside, and how long before it nothing came.
func hostile(b []byte, now time.Time) (Heard, time.Duration) {
	u32 := func(i int) int64 { return int64(int32(binary.BigEndian.Uint32(b[i:]))) }
	h := Heard{
		Src: netip.AddrFrom4([4]byte(b[:4])), Group: netip.AddrFrom4([4]byte(b[4:8])), Version: b[8] % 5, QRV: b[9],
		MaxResp: time.Duration(u32(10)) * time.Millisecond, QQI: time.Duration(u32(14)) * time.Millisecond,
		At: now.Add(time.Duration(int16(binary.BigEndian.Uint16(b[18:]))) * time.Millisecond),
	}
	return h, time.Duration(binary.BigEndian.Uint16(b[20:])) * 10 * time.Millisecond
}

func chunk(h Heard, wait uint16) []byte {
	src, group := h.Src.As4(), h.Group.As4()
	b := append(append(src[:], group[:]...), h.Version, h.QRV)
	b = binary.BigEndian.AppendUint32(b, uint32(h.MaxResp/time.Millisecond))
	b = binary.BigEndian.AppendUint32(b, uint32(h.QQI/time.Millisecond))
	b = binary.BigEndian.AppendUint16(b, 0)
	return append(binary.BigEndian.AppendUint16(b, wait), 0, 0)
}

// FuzzHandleQuery is the segment's whole malice. Whatever is heard and when: time gets on, a general query of ours is
// always the same, they never come more often than our own start or the shortest interval that is believed, every query
// heard is counted once, and no value in force is out of its bounds.
func FuzzHandleQuery(f *testing.F) {
	short := heard(lower, t0)
	short.QRV, short.QQI = 1, time.Second
	v1 := heard(lower, t0)
	v1.Version = 1
	specific := heard(lower, t0)
	specific.Group = group
	var all []byte
	for i, h := range []Heard{heard(lower, t0), short, v1, specific, heard(nobody, t0), heard(higher, t0), heard(ours, t0)} {
		f.Add(chunk(h, uint16(i*1000)), false)
		all = append(all, chunk(h, uint16(i*100))...)
	}
	f.Add(all, false)
	f.Add(all, true)
	f.Fuzz(func(t *testing.T, data []byte, asProxy bool) {
		q := start(t, func(c *Config) {
			if asProxy {
				proxy(c)
			}
		})
		own := q.State()
		want := append([]byte(nil), q.Advance(t0)[0]...)
		now, calls, sent := t0, 0, 1
		for ; len(data) >= hostileLen; data = data[hostileLen:] {
			h, wait := hostile(data, now)
			q.HandleQuery(h)
			calls++
			checkState(t, q, own)
			end := now.Add(wait)
			for !q.Next().After(end) {
				now = later(now, q.Next())
				for _, frame := range q.Advance(now) {
					require.Equal(t, want, frame)
					sent++
				}
				require.True(t, q.Next().After(now))
			}
			now = end
			require.Empty(t, q.Advance(now))
		}
		checkCounters(t, q.Counters(), calls, sent)
		shortest := minLearntQI + own.Timing.QRI/2
		require.LessOrEqual(t, sent, 2+int(now.Sub(t0)/shortest))
	})
}

func checkState(t *testing.T, q *Querier, own State) {
	s := q.State()
	require.GreaterOrEqual(t, s.Timing.RV, 1)
	require.LessOrEqual(t, s.Timing.RV, maxQRV)
	require.GreaterOrEqual(t, s.Timing.QI, minLearntQI)
	require.LessOrEqual(t, s.Timing.QI, maxLearntQI)
	require.GreaterOrEqual(t, s.Timing.QRI, own.Timing.QRI)
	require.Equal(t, !s.Querier, s.Timing.NonQuerier)
	if s.Querier {
		require.Equal(t, own, s)
		return
	}
	require.True(t, hostAddr(s.Elected))
	require.True(t, own.Elected == nobody || s.Elected.Less(own.Elected))
	_, err := q.Specific(group, nil, false, 0)
	require.ErrorIs(t, err, ErrNotQuerier)
}

func checkCounters(t *testing.T, c Counters, calls, sent int) {
	require.Equal(t, uint64(calls),
		c.HeardLower+c.HeardHigher+c.HeardProxy+c.HeardSpecific+c.HeardOwn+c.HeardInvalid)
	require.Equal(t, uint64(sent), c.GeneralQueries)
	require.LessOrEqual(t, c.OtherVersions, uint64(calls))
	require.LessOrEqual(t, c.ElectionsLost-c.Takeovers, uint64(1))
}

// FuzzSpecific: whatever is asked for is refused, or comes out as queries for exactly that.
func FuzzSpecific(f *testing.F) {
	f.Add([]byte{233, 252, 0, 1}, []byte{198, 51, 100, 1, 198, 51, 100, 2}, true, int64(time.Second), uint8(3), 1500)
	f.Add([]byte{233, 252, 0, 1}, []byte{198, 51, 100, 1, 198, 51, 100, 2}, true, int64(time.Second), uint8(3), 0)
	f.Add([]byte{239, 1, 1, 1}, []byte{}, false, int64(0), uint8(2), 1500)
	f.Add([]byte{0, 0, 0, 0}, []byte{}, false, int64(-1), uint8(1), 68)
	f.Fuzz(func(t *testing.T, to, list []byte, suppress bool, resp int64, version uint8, mtu int) {
		q := start(t, func(c *Config) { c.Versions, c.MTU = []uint8{1 + version%3}, mtu })
		asked, _ := netip.AddrFromSlice(to)
		var sources []netip.Addr
		for ; len(list) >= 4; list = list[4:] {
			sources = append(sources, netip.AddrFrom4([4]byte(list)))
		}
		frames, err := q.Specific(asked, sources, suppress, time.Duration(resp))
		if err != nil {
			require.Nil(t, frames)
			return
		}
		var got []netip.Addr
		for _, frame := range frames {
			v := decode(t, frame)
			require.Equal(t, asked.Unmap(), v.Group)
			require.True(t, v.Group.IsMulticast())
			require.Equal(t, v.Group, v.Dst)
			require.Equal(t, igmp.TypeQuery, v.Type)
			require.Equal(t, q.cfg.Versions[0], v.Version)
			require.Equal(t, suppress && v.Version == 3, v.SuppressRouter)
			for a := range v.Sources() {
				got = append(got, a)
			}
		}
		if q.cfg.Versions[0] == 2 {
			sources = nil
		}
		require.Equal(t, sources, got)
	})
}
