package querier

import (
	"net/netip"
	"testing"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

func TestAnotherAddressBeginsANewElection(t *testing.T) {
	q := start(t)
	run(t, q, 200)
	q.HandleQuery(heard(lower, at(200)))
	require.Empty(t, q.Advance(at(210)))

	require.NoError(t, q.SetAddrs(addrs("192.0.2.5")))
	require.True(t, q.Next().IsZero())
	frames := q.Advance(at(210))
	require.Len(t, frames, 1)
	require.Equal(t, addr("192.0.2.5"), decode(t, frames[0]).Src)
	require.Equal(t, at(241.25), q.Next())

	q.HandleQuery(heard(addr("192.0.2.7"), at(220))) // would have won before
	require.True(t, q.State().Querier)
	q.HandleQuery(heard(ours, at(221))) // no longer ours
	require.Equal(t, uint64(2), q.Counters().HeardHigher)
	q.HandleQuery(heard(lower, at(230)))
	require.Empty(t, q.Advance(at(241.25)))
	require.Equal(t, at(485), q.Next())
}

func TestTheSameAddressDisturbsNothing(t *testing.T) {
	q := start(t)
	run(t, q, 200)
	next, before := q.Next(), q.State()
	require.NoError(t, q.SetAddrs(addrs("192.0.2.9")))
	require.NoError(t, q.SetAddrs(addrs("::ffff:192.0.2.9", "192.0.2.3")))
	require.Equal(t, next, q.Next())
	require.Equal(t, before, q.State())
	q.HandleQuery(heard(addr("192.0.2.3"), at(201)))
	require.True(t, q.State().Querier, "known as our own by now")

	q.HandleQuery(heard(lower, at(202)))
	require.NoError(t, q.SetAddrs(addrs("192.0.2.9", "192.0.2.4")))
	require.Equal(t, at(457), q.Next())
}

// The querier's address moved to us: waiting for it would be waiting for ourselves.
func TestTheQueriersAddressBecomesOurs(t *testing.T) {
	q := start(t)
	q.HandleQuery(heard(lower, t0))
	require.NoError(t, q.SetAddrs(addrs("192.0.2.9", "192.0.2.1")))
	require.True(t, q.State().Querier)
	require.Equal(t, []float64{0, 31.25}, run(t, q, 100))
}

func TestTheCallersSlicesAreNotKept(t *testing.T) {
	own := addrs("192.0.2.9", "192.0.2.3")
	vlans := []igmp.VLAN{{ID: 5}}
	versions := []uint8{3, 2}
	q := start(t, func(c *Config) { c.Addrs, c.VLANs, c.Versions = own, vlans, versions })
	own[1], vlans[0].ID, versions[0] = lower, 6, 1
	q.HandleQuery(heard(addr("192.0.2.3"), t0))
	require.Equal(t, uint64(1), q.Counters().HeardOwn)
	frames, err := q.Specific(group, nil, false, 0)
	require.NoError(t, err)
	v := decode(t, frames[0])
	require.Equal(t, uint16(5), v.VLANs()[0].ID)
	require.Equal(t, uint8(3), v.Version)
	require.Equal(t, uint8(1), versions[0], "nor sorted")
}

func TestAddressesThatNoHostHasAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		addrs []netip.Addr
		where string
		want  error
	}{
		"none":            {nil, "", ErrNoAddress},
		"forgotten":       {[]netip.Addr{{}}, "address 0", igmp.ErrAddress},
		"IPv6":            {addrs("2001:db8::1"), "address 0", igmp.ErrAddress},
		"multicast":       {addrs("224.0.0.1"), "address 0", igmp.ErrAddress},
		"broadcast":       {addrs("255.255.255.255"), "address 0", igmp.ErrAddress},
		"loopback":        {addrs("127.0.0.1"), "address 0", igmp.ErrAddress},
		"proxy as second": {addrs("192.0.2.9", "0.0.0.0"), "address 1", igmp.ErrAddress},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(Config{MAC: ourMAC, Addrs: c.addrs})
			requireError(t, err, "configure", c.where, c.want)

			q := start(t)
			q.Advance(t0)
			requireError(t, q.SetAddrs(c.addrs), "set addresses", c.where, c.want)
			require.Equal(t, ours, q.State().Elected)
			require.Equal(t, []float64{31.25}, run(t, q, 100), "as it was")
		})
	}
}

func requireError(t *testing.T, err error, op, where string, cause error) {
	t.Helper()
	require.ErrorIs(t, err, cause)
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, op, e.Op)
	require.Equal(t, where, e.Where)
}
