package mcast_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mcast/mcasttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	g1 = mcast.Group{Addr: netip.MustParseAddr("233.252.0.1")}
	g2 = mcast.Group{Addr: netip.MustParseAddr("233.252.0.2")}
	g3 = mcast.Group{Addr: netip.MustParseAddr("233.252.0.3")}

	s1 = netip.MustParseAddr("198.51.100.1")
	s2 = netip.MustParseAddr("198.51.100.2")
	s3 = netip.MustParseAddr("198.51.100.3")
)

// ctx is short for a type that every sink names.
type ctx = context.Context

var errBusy = errors.New("busy")

// rig is a cache with one recording sink on a clock that stands still between
// steps. Times are seconds since its start.
type rig struct {
	*mcasttest.Recorder[string]
	t     *testing.T
	c     *mcast.Cache[string]
	h     *mcast.Handle[string]
	now   float64
	asked []string // queries, as "1.0 port1 Q(233.252.0.1)", with /S for the S flag
}

func sec(s float64) time.Time { return epoch.Add(time.Duration(s * float64(time.Second))) }

func addrs(a ...netip.Addr) []netip.Addr { return a }

// plain is a sink config without waiting and chance.
var plain = mcast.SinkConfig{
	MinInterval: -1, MinRetry: time.Second, MaxRetry: time.Minute, Timeout: -1,
	Jitter: func(d time.Duration) time.Duration { return d },
}

func newRig(t *testing.T, cfg mcast.Config[string]) *rig {
	r := &rig{t: t, Recorder: &mcasttest.Recorder[string]{}}
	if cfg.Query == nil {
		cfg.Query = func(context.Context, mcast.QueryRequest[string]) error { return nil }
	}
	query := cfg.Query
	cfg.Query = func(ctx context.Context, q mcast.QueryRequest[string]) error {
		r.asked = append(r.asked, r.describe(q))
		return query(ctx, q)
	}
	r.c = mcast.New(cfg)
	r.c.Advance(sec(0))
	r.h = r.add("rec", r.Recorder, plain)
	r.flush()
	return r
}

func (r *rig) describe(q mcast.QueryRequest[string]) string {
	out := fmt.Sprintf("%.1f %s Q(%v", r.now, q.Member, q.Group)
	for _, s := range q.Sources {
		out += " " + s.String()
	}
	if q.Suppress {
		return out + ")/S"
	}
	return out + ")"
}

func (r *rig) add(name string, s mcast.Sink[string], cfg mcast.SinkConfig) *mcast.Handle[string] {
	h, err := r.c.AddSink(name, s, cfg)
	require.NoError(r.t, err)
	return h
}

func (r *rig) flush() { _ = r.c.Flush(context.Background()) }

// to runs the clock on to a time, stopping wherever something is due.
func (r *rig) to(s float64) {
	r.flush()
	for next, ok := r.c.Next(); ok && !next.After(sec(s)); next, ok = r.c.Next() {
		r.now = next.Sub(epoch).Seconds()
		r.c.Advance(next)
		r.flush()
	}
	r.now = s
	r.c.Advance(sec(s))
	r.flush()
}

// report applies one at a time, after running the clock to it.
func (r *rig) report(s float64, g mcast.Group, m string, k mcast.Kind, sources ...netip.Addr) {
	r.to(s)
	require.NoError(r.t, r.c.Apply(mcast.Report[string]{Group: g, Member: m, Kind: k, Sources: sources, At: sec(s)}))
	r.flush()
}

func (r *rig) join(s float64, g mcast.Group, m string)  { r.report(s, g, m, mcast.ChangeToExclude) }
func (r *rig) leave(s float64, g mcast.Group, m string) { r.report(s, g, m, mcast.ChangeToInclude) }

// old is a report or a leave of IGMPv1 or v2.
func (r *rig) old(s float64, g mcast.Group, m string, version uint8, k mcast.Kind) {
	r.to(s)
	require.NoError(r.t, r.c.Apply(mcast.Report[string]{Group: g, Member: m, Kind: k, Version: version, At: sec(s)}))
	r.flush()
}

// has is a group as "port1:EXCLUDE{} port2:INCLUDE{198.51.100.1}".
func (r *rig) has(g mcast.Group) string {
	s, _ := r.c.Lookup(g)
	return members(s)
}

func members(s mcast.State[string]) string {
	var out []string
	for m, f := range s.All() {
		out = append(out, fmt.Sprintf("%s:%v", m, f))
	}
	return strings.Join(out, " ")
}

// queries are those sent since the last call.
func (r *rig) queries() []string {
	out := r.asked
	r.asked = nil
	return out
}
