package group

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/bench/side"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// wire is a switch that confirms at once, for what the client does alone. Every message is encoded, as for a real one.
type wire struct {
	buf   []byte
	bytes int // of the last message
}

func (*wire) Version() ofgroup.Version { return ofgroup.OpenFlow15 }

func (w *wire) Send(_ context.Context, m *ofgroup.Mod) (ofgroup.Receipt, error) {
	b, err := m.AppendBinary(w.buf[:0])
	w.buf, w.bytes = b, len(b)
	return ofgroup.Receipt{Confirmed: true}, err
}

// crowd is a group of n members, and the same with one more.
func crowd(n int) (less, all ofgroup.Group) {
	less = ofgroup.New(groupID, ofgroup.All)
	for i := range n {
		less = less.AddBuckets(output(i).WithKey(strconv.Itoa(i)))
	}
	return less, less.AddBuckets(output(n).WithKey(strconv.Itoa(n)))
}

// changer has a Table on one wire, which knows the crowd, and another wire for groups that are sent whole.
type changer struct {
	less, all    ofgroup.Group
	table        *ofgroup.Table
	delta, whole wire
}

func newChanger(tb testing.TB, n int) *changer {
	c := &changer{}
	c.less, c.all = crowd(n)
	c.table = ofgroup.NewTable(&c.delta, ofgroup.TableConfig{})
	require.NoError(tb, c.inAndOut())
	return c
}

// inAndOut is one who joins and leaves, by the Table.
func (c *changer) inAndOut() error {
	_, err := c.table.Commit(context.Background(), c.all)
	if err == nil {
		_, err = c.table.Commit(context.Background(), c.less)
	}
	return err
}

// allAndLess is the same, each time with the whole group.
func (c *changer) allAndLess() error {
	_, err := c.all.Commit(context.Background(), &c.whole)
	if err == nil {
		_, err = c.less.Commit(context.Background(), &c.whole)
	}
	return err
}

// BenchmarkChange is one who joins and leaves a group of n, without a switch: the smallest messages, which a Table has
// to find, beside the whole group each time.
func BenchmarkChange(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := newChanger(b, n)
			side.Compare(b,
				side.Way{Name: "table", Do: side.Each(c.inAndOut)},
				side.Way{Name: "whole", Do: side.Each(c.allAndLess)},
			)
		})
	}
}

func TestAChangeIsADeltaBesideTheWholeGroup(t *testing.T) {
	c := newChanger(t, 100)
	require.NoError(t, c.inAndOut())
	require.NoError(t, c.allAndLess())
	require.Equal(t, 24, c.delta.bytes, "a bucket is removed by its number")
	require.Equal(t, 24+100*outputLen, c.whole.bytes)
}
