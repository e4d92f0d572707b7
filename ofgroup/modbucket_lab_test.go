package ofgroup_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	. "github.com/ofmcast/ofmcast/ofgroup"
)

// A real switch takes inserts and removes for every type that has them, and then holds what
// their documentation says.
func TestARealSwitchInsertsAndRemovesSingleBuckets(t *testing.T) {
	s := labSession(t, ovslab.New(t, ovslab.Config{Ports: []string{"p1", "p2", "p3"}}))
	for id, g := range []Group{
		New(0, All), New(1, Select).WithSelection(Hash(IPDst)), New(2, FastFailover),
	} {
		bucket := func(n BucketID) Bucket {
			b := NewBucket(Output(Port(n%3 + 1))).WithID(n)
			switch g.Type() {
			case Select:
				b = b.WithWeight(uint16(10 * n))
			case FastFailover:
				b = b.WithWatchPort(Port(n%3 + 1))
			}
			return b
		}
		send := func(m *Mod, err error) error {
			require.NoError(t, err)
			_, err = s.Send(t.Context(), m)
			return err
		}
		holds := func(ids ...BucketID) {
			t.Helper()
			want := g
			for _, id := range ids {
				want = want.AddBuckets(bucket(id))
			}
			got, ok, err := s.GroupDesc(t.Context(), ID(id))
			require.NoError(t, err)
			require.True(t, ok && got.Equal(want), "want %v\nhave %v", want, got)
		}
		require.NoError(t, send(g.AddBuckets(bucket(5)).Mod(Add, OpenFlow15)))
		require.NoError(t, send(g.AddBuckets(bucket(9)).ModInsert(LastBucket, OpenFlow15)))
		require.NoError(t, send(g.AddBuckets(bucket(3), bucket(2)).ModInsert(FirstBucket, OpenFlow15)))
		holds(3, 2, 5, 9)
		require.NoError(t, send(g.AddBuckets(bucket(7), bucket(1)).ModInsert(2, OpenFlow15)))
		holds(3, 2, 7, 1, 5, 9)
		require.ErrorIs(t, send(g.AddBuckets(bucket(9)).ModInsert(FirstBucket, OpenFlow15)), ErrBucketExists)
		require.ErrorIs(t, send(g.AddBuckets(bucket(8)).ModInsert(4, OpenFlow15)), ErrUnknownBucket)
		require.ErrorIs(t, send(g.ModRemove(4, OpenFlow15)), ErrUnknownBucket)
		require.NoError(t, send(g.ModRemove(7, OpenFlow15)))
		require.NoError(t, send(g.ModRemove(FirstBucket, OpenFlow15)))
		require.NoError(t, send(g.ModRemove(LastBucket, OpenFlow15)))
		holds(2, 1, 5)
		require.NoError(t, send(g.ModRemove(AllBuckets, OpenFlow15)))
		holds()
		require.NoError(t, send(g.ModRemove(FirstBucket, OpenFlow15)), "the first of none")
		require.ErrorIs(t, send(New(77, All).ModRemove(AllBuckets, OpenFlow15)), ErrUnknownGroup)
	}
}
