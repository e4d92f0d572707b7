package table

import (
	"context"
	"net"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

const (
	members = 700
	changes = 16 // joins, each followed by a leave
)

func member(port int) ofgroup.Bucket {
	return ofgroup.NewBucket(ofgroup.Output(ofgroup.Port(port))).WithKey(strconv.Itoa(port))
}

// counted counts what is written to a connection.
type counted struct {
	net.Conn
	written *atomic.Int64
}

func (c counted) Write(b []byte) (int, error) {
	c.written.Add(int64(len(b)))
	return c.Conn.Write(b)
}

// crowd is a group of many members on a real switch, and the same with one more.
type crowd struct {
	lab       *ovslab.Lab
	table     *ofgroup.Table
	session   *ofconn.Session
	bare      *bare
	less, all ofgroup.Group
	written   atomic.Int64
}

func newCrowd(tb testing.TB, n int) *crowd {
	tb.Helper()
	lab := ovslab.New(tb, ovslab.Config{})
	c := &crowd{lab: lab, bare: newBare(tb, lab), less: ofgroup.New(1, ofgroup.All)}
	var err error
	c.session, err = ofconn.Open(tb.Context(), ofconn.Config{Dial: func(ctx context.Context) (net.Conn, error) {
		conn, err := lab.Dial(ctx)
		return counted{conn, &c.written}, err
	}})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, c.session.Close()) })
	c.table = ofgroup.NewTable(c.session, ofgroup.TableConfig{})
	for port := range n {
		c.less = c.less.AddBuckets(member(port + 1))
	}
	c.all = c.less.AddBuckets(member(n + 1))
	require.NoError(tb, c.delta(tb.Context(), c.less))
	return c
}

// delta has the table send what has changed.
func (c *crowd) delta(ctx context.Context, groups ...ofgroup.Group) error {
	for _, g := range groups {
		if _, err := c.table.Commit(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

// whole sends all of the group.
func (c *crowd) whole(ctx context.Context, groups ...ofgroup.Group) error {
	for _, g := range groups {
		if _, err := g.Commit(ctx, c.session); err != nil {
			return err
		}
	}
	return nil
}

// bytes is how many bytes f writes, barrier requests included.
func (c *crowd) bytes(f func() error) (float64, error) {
	before := c.written.Load()
	err := f()
	return float64(c.written.Load() - before), err
}

// BenchmarkOneMemberOf700 is one that joins and leaves: as the message of a Table until it is
// confirmed, beside the whole group in one, and both by a bare client that has the messages ready:
// that is the switch's part of it.
func BenchmarkOneMemberOf700(b *testing.B) {
	c := newCrowd(b, members)
	ctx := b.Context()
	inAndOut := make([]ofgroup.Group, 0, 2*changes)
	for range changes {
		inAndOut = append(inAndOut, c.all, c.less)
	}
	modifies := withBarriers(prepared(b, inAndOut, ofgroup.Modify))
	deltas := withBarriers(c.preparedDeltas(b, changes))
	whole, err := c.bytes(func() error { return c.whole(ctx, c.all, c.less) })
	require.NoError(b, err)
	join, err := c.bytes(func() error { return c.delta(ctx, c.all) })
	require.NoError(b, err)
	leave, err := c.bytes(func() error { return c.delta(ctx, c.less) })
	require.NoError(b, err)

	compare(b, c.lab, 2*changes,
		way{"whole", func() error { return c.whole(ctx, inAndOut...) }},
		way{"table", func() error { return c.delta(ctx, inAndOut...) }},
		way{"bare-whole", func() error { return c.bare.each(modifies) }},
		way{"bare-delta", func() error { return c.bare.each(deltas) }},
	)
	b.ReportMetric(whole/2, "bytes/whole")
	b.ReportMetric(join, "bytes/join")
	b.ReportMetric(leave, "bytes/leave")
}

// preparedDeltas are the messages of n joins, each with its leave.
func (c *crowd) preparedDeltas(tb testing.TB, n int) [][]byte {
	tb.Helper()
	const number = 100_000 // not one of the table's
	joins := ofgroup.New(c.less.ID(), ofgroup.All).AddBuckets(member(c.all.Len()).WithID(number))
	insert, err := joins.ModInsert(ofgroup.LastBucket, ofgroup.OpenFlow15)
	require.NoError(tb, err)
	remove, err := joins.ModRemove(number, ofgroup.OpenFlow15)
	require.NoError(tb, err)
	var messages [][]byte
	for range n {
		for _, m := range []*ofgroup.Mod{insert, remove} {
			message, err := m.MarshalBinary()
			require.NoError(tb, err)
			messages = append(messages, message)
		}
	}
	return messages
}

// Each way leaves the group that it says, and a delta is shorter than the whole.
func TestAJoinAndALeaveOfEachKind(t *testing.T) {
	c := newCrowd(t, 20)
	holds := func(n int) {
		t.Helper()
		g, there, err := c.session.GroupDesc(t.Context(), 1)
		require.NoError(t, err)
		require.True(t, there)
		require.Equal(t, n, g.Len())
	}
	join, err := c.bytes(func() error { return c.delta(t.Context(), c.all) })
	require.NoError(t, err)
	holds(21)
	require.NoError(t, c.delta(t.Context(), c.less))
	holds(20)
	whole, err := c.bytes(func() error { return c.whole(t.Context(), c.all) })
	require.NoError(t, err)
	holds(21)
	require.Less(t, join, whole/2)
	require.NoError(t, c.whole(t.Context(), c.less))
	deltas := withBarriers(c.preparedDeltas(t, 1))
	require.NoError(t, c.bare.each(deltas[:1]))
	holds(21)
	require.NoError(t, c.bare.each(deltas[1:]))
	holds(20)
}
