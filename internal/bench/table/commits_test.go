package table

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// A benchmark modifies many groups, or one at a time not as many.
const (
	many = 8192
	few  = 256
)

// contest is one real switch, which holds all groups, and those who modify them.
type contest struct {
	lab     *ovslab.Lab
	groups  []ofgroup.Group
	bare    *bare
	session *ofconn.Session
	table   *ofgroup.Table
}

func newContest(tb testing.TB, n int) *contest {
	tb.Helper()
	lab := ovslab.New(tb, ovslab.Config{})
	c := &contest{lab: lab, bare: newBare(tb, lab), session: open(tb, lab)}
	c.table = ofgroup.NewTable(c.session, ofgroup.TableConfig{})
	for i := range n {
		c.groups = append(c.groups, fourBuckets(ofgroup.ID(i+1)))
	}
	require.NoError(tb, c.together(64, c.viaTable(tb.Context()))) // from here on the table sends a Modify for each
	return c
}

func open(tb testing.TB, lab *ovslab.Lab) *ofconn.Session {
	tb.Helper()
	s, err := ofconn.Open(tb.Context(), ofconn.Config{Dial: lab.Dial})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, s.Close()) })
	return s
}

func fourBuckets(id ofgroup.ID) ofgroup.Group {
	g := ofgroup.New(id, ofgroup.All)
	for port := range ofgroup.Port(4) {
		g = g.AddBuckets(ofgroup.NewBucket(ofgroup.Output(port + 1)))
	}
	return g
}

// commit makes a switch hold a group, and returns when it has confirmed.
type commit func(ofgroup.Group) error

func (c *contest) viaTable(ctx context.Context) commit {
	return func(g ofgroup.Group) error { _, err := c.table.Commit(ctx, g); return err }
}

func (c *contest) viaSession(ctx context.Context) commit {
	return func(g ofgroup.Group) error { _, err := g.Commit(ctx, c.session); return err }
}

// together has n goroutines commit all of the groups, each the next one as soon as its last one is
// confirmed.
func (c *contest) together(n int, commit commit) error {
	var next atomic.Int64
	var all sync.WaitGroup
	failed := make(chan error, n)
	for range n {
		all.Go(func() {
			for i := next.Add(1); i <= int64(len(c.groups)); i = next.Add(1) {
				if err := commit(c.groups[i-1]); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failed)
	return <-failed
}

// BenchmarkManyCommitters is the share of the bare client's rate that confirmed commits from many
// goroutines have, through a Table and without one.
func BenchmarkManyCommitters(b *testing.B) {
	c := newContest(b, many)
	apart(b, c.lab)
	messages := prepared(b, c.groups, ofgroup.Modify)
	ways := []way{{"bare", func() error { return c.bare.all(messages) }}}
	for _, n := range []int{64, 256} {
		ways = append(ways,
			way{"table-" + strconv.Itoa(n), func() error { return c.together(n, c.viaTable(b.Context())) }},
			way{"commit-" + strconv.Itoa(n), func() error { return c.together(n, c.viaSession(b.Context())) }},
		)
	}
	compare(b, c.lab, many, ways...)
	s := c.session.Stats()
	b.ReportMetric(float64(s.Sent)/float64(s.Barriers), "commits/barrier")
}

// BenchmarkOneCommitter is one goroutine that waits for each commit, beside a write and its barrier.
func BenchmarkOneCommitter(b *testing.B) {
	c := newContest(b, few)
	messages := withBarriers(prepared(b, c.groups, ofgroup.Modify))
	compare(b, c.lab, few,
		way{"bare", func() error { return c.bare.each(messages) }},
		way{"table", func() error { return c.together(1, c.viaTable(b.Context())) }},
		way{"commit", func() error { return c.together(1, c.viaSession(b.Context())) }},
	)
}

// The three do the same to the switch: one message a group, after which it holds the same.
func TestTheWaysDoTheSame(t *testing.T) {
	c := newContest(t, 8)
	ways := []way{
		{"bare", func() error { return c.bare.all(prepared(t, c.groups, ofgroup.Modify)) }},
		{"each", func() error { return c.bare.each(withBarriers(prepared(t, c.groups, ofgroup.Modify))) }},
		{"table", func() error { return c.together(4, c.viaTable(t.Context())) }},
		{"commit", func() error { return c.together(4, c.viaSession(t.Context())) }},
	}
	before := c.session.Stats().Sent
	for _, times := range takeTurns(t, c.lab, ways, 2) {
		require.Len(t, times, 2)
	}
	require.Equal(t, uint64(2*2*len(c.groups)), c.session.Stats().Sent-before)
	for _, g := range c.groups {
		held, there, err := c.session.GroupDesc(t.Context(), g.ID())
		require.NoError(t, err)
		require.True(t, there && held.Equal(g), "%v", held)
	}
	require.Error(t, c.bare.all(prepared(t, []ofgroup.Group{fourBuckets(1)}, ofgroup.Add)), "a refusal is seen")
}
