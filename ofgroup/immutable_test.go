package ofgroup_test

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// spare is a group of n buckets whose array has room for more.
func spare(n int) Group {
	g := New(7, All)
	for _, b := range outputs(n) {
		g = g.AddBuckets(b)
	}
	return g
}

func TestGoroutinesThatAddToOneParentNeverSeeOneAnother(t *testing.T) {
	const goroutines, each = 5000, 3
	parent := spare(33) // of 64
	before := encode(t, parent, Add, OpenFlow15)
	var wg sync.WaitGroup
	failed := make(chan string, goroutines)
	start := make(chan struct{})
	for i := range goroutines {
		wg.Go(func() {
			<-start
			g, own := parent, outputs(33)
			for k := range each {
				b := NewBucket(Set(Reg(k), i), Output(Port(i+1)))
				g, own = g.AddBuckets(b), append(own, b)
			}
			got, err := marshalOnly(g)
			want, wantErr := marshalOnly(New(7, All).WithBuckets(own...))
			if err != nil || wantErr != nil || !bytes.Equal(want, got) {
				failed <- fmt.Sprintf("goroutine %d sees %v", i, g)
			}
		})
	}
	close(start)
	wg.Wait()
	close(failed)
	require.Empty(t, failed)
	requireBytes(t, before, encode(t, parent, Add, OpenFlow15))
}

// Whoever is first gets the room behind the parent: nobody else, however close. Two
// goroutines go along a row of parents in lockstep, so that they often are that close.
func TestOnlyOneOfTwoAtTheSameMomentGetsTheRoom(t *testing.T) {
	parents := make([]Group, 4000)
	for i := range parents {
		parents[i] = New(7, All).AddBuckets(NewBucket()).AddBuckets(NewBucket()) // with room
	}
	got := [2][]Group{make([]Group, len(parents)), make([]Group, len(parents))}
	var at [2]atomic.Int64
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			own := NewBucket(Output(Port(i)))
			for k, p := range parents {
				at[i].Store(int64(k))
				for spins := 1; at[1-i].Load() < int64(k); spins++ {
					if spins%1000 == 0 {
						runtime.Gosched()
					}
				}
				got[i][k] = p.AddBuckets(own)
			}
		})
	}
	wg.Wait()
	for i := range got {
		for k, g := range got[i] {
			require.True(t, g.Bucket(2) == NewBucket(Output(Port(i))), "parent %d", k)
		}
	}
}

func marshalOnly(g Group) ([]byte, error) {
	m, err := g.Mod(Add, OpenFlow15)
	if err != nil {
		return nil, err
	}
	return m.MarshalBinary()
}

func TestAValueStaysWhatItWasWhateverIsMadeOfIt(t *testing.T) {
	parent := spare(5)
	text := parent.String()
	first := parent.AddBuckets(outputs(2)...)
	firstText := first.String()
	second := parent.AddBuckets(NewBucket(Output(99)))
	third := first.AddBuckets(NewBucket(Output(98)))
	_ = parent.WithBuckets(NewBucket(Output(97))).AddBuckets(outputs(3)...)
	require.Equal(t, text, parent.String())
	require.Equal(t, firstText, first.String())
	require.Equal(t, NewBucket(Output(99)), second.Bucket(5))
	require.Equal(t, NewBucket(Output(98)), third.Bucket(7))
	require.Equal(t, 6, second.Len())
}

func TestSlicesOfTheCallerAreCopied(t *testing.T) {
	bs := outputs(3)
	with, added := New(1, All).WithBuckets(bs...), New(1, All).AddBuckets(bs...)
	want := with.String()
	raw := []byte{0, 24, 0, 8, 0, 0, 0, 0}
	long := append([]byte{0xff, 0xff, 0, 32}, make([]byte, 28)...)
	short, large := RawAction(raw), RawAction(long)
	shortText, largeText := short.String(), large.String()

	for i := range bs {
		bs[i] = NewBucket(Output(77))
	}
	clear(raw)
	clear(long)
	require.Equal(t, want, with.String())
	require.Equal(t, want, added.String())
	require.Equal(t, shortText, short.String())
	require.Equal(t, largeText, large.String())
}

func TestDecodedGroupsOwnTheirMemory(t *testing.T) {
	for _, name := range []string{"add-ff-3-buckets", "add-hash-fields-vlan", "add-mcast-tunnels"} {
		data := recorded(t, OpenFlow15, name)
		m := decode(t, data)
		want, text := append([]byte(nil), data...), m.String()
		for i := range data {
			data[i] = 0xa5
		}
		requireBytes(t, want, marshal(t, m))
		require.Equal(t, text, m.String())
	}
	body := append([]byte(nil), vectors(t, "group_desc_reply")[1].bytes[multipartHeader:]...)
	groups, err := ParseGroupDesc(OpenFlow15, body)
	require.NoError(t, err)
	text := groups[0].String()
	clear(body)
	require.Equal(t, text, groups[0].String())
}

func TestBucketsAlikeAreEqual(t *testing.T) {
	a := NewBucket(Set(Reg(1), 2), Output(3)).WithWeight(4).WithWatchPort(5).WithID(6)
	b := NewBucket(Set(Reg(1), 2), Output(3)).WithID(6).WithWatchPort(5).WithWeight(4)
	require.True(t, a == b)
	require.False(t, a == b.WithID(7))
	require.False(t, a == b.WithWeight(0))
	require.True(t, a.WithWatchPort(PortAny) == b.WithWatchPort(PortAny))
	require.True(t, NewBucket().WithWatchGroup(AnyGroup) == Bucket{})
	// A bucket that carries a fault can be compared too.
	fault, again, other := NewBucket(Set(Reg(99), 1)), NewBucket(Set(Reg(99), 1)), NewBucket(Set(Reg(98), 1))
	require.True(t, fault == again)
	require.False(t, fault == other)
}

func TestAMessageIsTheSameBytesEveryTime(t *testing.T) {
	m, err := New(7, All).AddBuckets(NewBucket(Output(3))).Mod(Add, OpenFlow15)
	require.NoError(t, err)
	want := unhex(t, "060f0030 00000000 0000 00 00 00000007 0018 0000 ffffffff"+
		"0018 0010 00000000 0000 0010 00000003 0000 000000000000")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 3 { // first try, retry, replay
				b, err := m.MarshalBinary()
				if err != nil || !bytes.Equal(want, b) {
					t.Errorf("got %x, %v", b, err)
				}
			}
		})
	}
	wg.Wait()
	b, err := m.AppendBinary([]byte("before"))
	require.NoError(t, err)
	requireBytes(t, append([]byte("before"), want...), b)
}

// A list that loses its room each time must not become a list of single buckets.
func TestAListThatAlwaysLosesItsRoomStaysShort(t *testing.T) {
	g, want := New(7, All), New(7, All)
	for i := range 1000 {
		_ = g.AddBuckets(NewBucket(Output(PortLocal))) // takes the room
		b := NewBucket(Output(Port(i)))
		g, want = g.AddBuckets(b), want.AddBuckets(b)
	}
	require.True(t, g.Equal(want))
	require.Equal(t, NewBucket(Output(777)), g.Bucket(777))
	require.Panics(t, func() { g.Bucket(1000) })
	require.Panics(t, func() { g.Bucket(-1) })
	seen := 0
	for range g.Buckets() {
		if seen++; seen == 70 {
			break
		}
	}
	require.Equal(t, 70, seen)
}

func TestEqualGroupsAreComparedWithoutAllocating(t *testing.T) {
	a, b := spare(500), New(7, All).WithBuckets(outputs(500)...)
	require.True(t, a.Equal(b))
	require.Zero(t, testing.AllocsPerRun(10, func() { a.Equal(b) }))
}
