package querier

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What a router at 192.0.2.1 sends; taken from its frame, to the end.
const lowerFrame = "01005e00000100005e005301080046c000240000400001024211c0000201e0000001940400001164ec1e00000000027d0000"

func TestALowerAddressSilencesUsUntilItIsGone(t *testing.T) {
	q := start(t)
	q.HandleQuery(heardFrame(t, unhex(t, lowerFrame), t0))
	require.Equal(t, at(255), q.Next())
	require.Empty(t, q.Advance(at(254.9)))
	require.Empty(t, q.Advance(at(255).Add(-1)))
	frames := q.Advance(at(255))
	require.Len(t, frames, 1)
	require.Equal(t, ours, decode(t, frames[0]).Src)
	require.Equal(t, []float64{380, 505}, run(t, q, 600), "then the interval, without the queries of a start")
}

func TestWhoLostStaysSilentWhileTheOtherQueries(t *testing.T) {
	q := start(t, func(c *Config) { c.Addrs = addrs("192.0.2.2") })
	require.Len(t, q.Advance(t0), 1)
	for _, s := range []float64{0, 125, 250} {
		q.HandleQuery(heard(lower, at(s)))
		require.Empty(t, q.Advance(at(s+124)))
	}
	require.Equal(t, []float64{505}, run(t, q, 600))
	require.Equal(t, Counters{GeneralQueries: 2, HeardLower: 3, ElectionsLost: 1, Takeovers: 1}, q.Counters())
}

func TestAQueryThatIsDueIsNotSentAfterALostElection(t *testing.T) {
	q := start(t)
	q.Advance(t0)
	q.HandleQuery(heard(lower, at(31.2)))
	require.Empty(t, q.Advance(at(31.25)))
}

func TestWhoHearsABetterOneFirstNeverBegins(t *testing.T) {
	q := start(t)
	q.HandleQuery(heard(lower, at(3)))
	require.Empty(t, q.Advance(at(4)))
	require.Equal(t, []float64{258}, run(t, q, 300))
}

func TestWhatIsNoReasonToYield(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Heard)
		want   Counters
	}{
		"a higher address": {func(h *Heard) { h.Src = higher }, Counters{HeardHigher: 1}},
		"0.0.0.0":          {func(h *Heard) { h.Src = nobody }, Counters{HeardProxy: 1}},
		"our own":          {func(h *Heard) { h.Src = ours }, Counters{HeardOwn: 1}},
		"our other":        {func(h *Heard) { h.Src = addr("192.0.2.3") }, Counters{HeardOwn: 1}},
		"our own, mapped":  {func(h *Heard) { h.Src = addr("::ffff:192.0.2.3") }, Counters{HeardOwn: 1}},
		"a specific one":   {func(h *Heard) { h.Group = group }, Counters{HeardSpecific: 1}},
		"a specific proxy": {func(h *Heard) { h.Group, h.Src = group, nobody }, Counters{HeardSpecific: 1}},
		"specific, v2":     {func(h *Heard) { h.Group, h.Version = group, 2 }, Counters{HeardSpecific: 1, OtherVersions: 1}},
		"0.0.0.1":          {func(h *Heard) { h.Src = addr("0.0.0.1") }, Counters{HeardInvalid: 1}},
		"loopback":         {func(h *Heard) { h.Src = addr("127.0.0.1") }, Counters{HeardInvalid: 1}},
		"multicast":        {func(h *Heard) { h.Src = group }, Counters{HeardInvalid: 1}},
		"IPv6":             {func(h *Heard) { h.Src = addr("::1") }, Counters{HeardInvalid: 1}},
		"no source":        {func(h *Heard) { h.Src = netip.Addr{} }, Counters{HeardInvalid: 1}},
		"no group":         {func(h *Heard) { h.Group = netip.Addr{} }, Counters{HeardInvalid: 1}},
		"group ::":         {func(h *Heard) { h.Group = addr("::") }, Counters{HeardInvalid: 1}},
		"a unicast group":  {func(h *Heard) { h.Group = ours }, Counters{HeardInvalid: 1}},
		"version 0":        {func(h *Heard) { h.Version = 0 }, Counters{HeardInvalid: 1}},
		"version 4":        {func(h *Heard) { h.Version = 4 }, Counters{HeardInvalid: 1}},
		"no time":          {func(h *Heard) { h.At = time.Time{} }, Counters{HeardInvalid: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			q := start(t, func(cfg *Config) {
				cfg.Addrs = addrs("192.0.2.9", "192.0.2.3", "192.0.2.250")
				cfg.OnChange = func(s State) { t.Error("changed to", s) }
			})
			h := heard(lower, at(1))
			h.QRV, h.QQI = 7, time.Second
			c.change(&h)
			q.HandleQuery(h)
			require.Equal(t, c.want, q.Counters())
			require.True(t, q.State().Querier)
			require.Equal(t, []float64{0, 31.25, 156.25}, run(t, q, 200))
		})
	}
}

// Our own query, punted back to us, is known by the address alone.
func TestOurOwnFrameIsIgnored(t *testing.T) {
	q := start(t)
	q.HandleQuery(heardFrame(t, q.Advance(t0)[0], at(0.01)))
	require.True(t, q.State().Querier)
	require.Equal(t, uint64(1), q.Counters().HeardOwn)
}

func TestAddressesAreComparedAsNumbers(t *testing.T) {
	q := start(t, func(c *Config) { c.Addrs = addrs("192.0.2.100") })
	q.HandleQuery(heard(addr("192.0.2.20"), t0))
	require.False(t, q.State().Querier)
}

func TestTheLowestOfTheOthersIsElected(t *testing.T) {
	q := start(t)
	q.HandleQuery(heard(addr("192.0.2.5"), at(0)))
	require.Equal(t, addr("192.0.2.5"), q.State().Elected)
	q.HandleQuery(heard(lower, at(1)))
	require.Equal(t, lower, q.State().Elected)
	require.Equal(t, at(256), q.Next())

	h := heard(addr("192.0.2.5"), at(100)) // it begins anew, and has not heard of the lowest yet
	h.QRV, h.QQI = 7, 600*time.Second
	q.HandleQuery(h)
	require.Equal(t, lower, q.State().Elected)
	require.Equal(t, 125*time.Second, q.State().Timing.QI, "nor are its values taken")
	require.Equal(t, at(355), q.Next(), "but it is there")
	require.Equal(t, uint64(1), q.Counters().ElectionsLost)
}

func TestTheNextInLineIsElectedWhenTheLowestIsGone(t *testing.T) {
	q := start(t)
	q.HandleQuery(heard(lower, at(0)))
	next := heard(addr("192.0.2.5"), at(255)) // took over
	next.QQI = 60 * time.Second
	q.HandleQuery(next)
	require.Equal(t, next.Src, q.State().Elected)
	require.Equal(t, at(255+2*60+5), q.Next())
	require.Zero(t, q.Counters().Takeovers)
}

// RFC 1112 Appendix I: version 1 has no other queries, whatever is in the field.
func TestAVersion1QueryIsGeneral(t *testing.T) {
	q := start(t)
	h := heard(lower, t0)
	h.Version, h.Group = 1, group
	q.HandleQuery(h)
	require.Equal(t, lower, q.State().Elected)
	require.Equal(t, Counters{HeardLower: 1, ElectionsLost: 1, OtherVersions: 1}, q.Counters())
}

// Two programs do not have one clock: a query read before the latest Advance counts from that.
func TestAQueryThatComesLateCountsFromNow(t *testing.T) {
	q := start(t)
	q.Advance(at(100))
	q.HandleQuery(heard(lower, at(-1000)))
	require.Equal(t, at(355), q.Next())
}
