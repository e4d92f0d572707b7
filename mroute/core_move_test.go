package mroute

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// stream has packets come at a VIF, ten a second.
func (b *bench) stream(v VIF, d time.Duration) {
	for range int(d / (100 * time.Millisecond)) {
		b.packet(v, documented)
		b.pass(100 * time.Millisecond)
	}
}

func TestStreamMovesAfterThreeSecondsOfSilence(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.out[documented.Group] = []Out{{Interface: "out0"}, {Interface: "in0"}, {Interface: "in1"}}
	b.stream(0, 10*time.Second)
	require.Equal(t, ttls{1: 1, 2: 1}, b.kernel.routes[documented].out)
	b.stream(1, 2800*time.Millisecond)
	require.Equal(t, VIF(0), b.kernel.routes[documented].in)
	b.stream(1, 500*time.Millisecond)
	require.Equal(t, VIF(1), b.kernel.routes[documented].in)
	require.Equal(t, ttls{0: 1, 2: 1}, b.kernel.routes[documented].out, "never back to where it comes from")
	require.Equal(t, uint64(1), b.stats.Moves)
}

func TestStreamAtTwoInterfacesStaysAtItsOwn(t *testing.T) {
	b := newBench(t, RouterConfig{})
	for range 300 {
		b.packet(0, documented)
		b.packet(1, documented)
		b.pass(100 * time.Millisecond)
	}
	require.Zero(t, b.stats.Moves)
	require.Equal(t, VIF(0), b.kernel.routes[documented].in)
}

// The copy at the other interface comes first, after a silence that is long enough for a move.
func TestRareStreamAtTwoInterfacesStaysAtItsOwn(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.packet(0, documented)
	for range 20 {
		b.pass(7 * time.Second)
		b.packet(1, documented)
		b.pass(50 * time.Millisecond)
		b.packet(0, documented)
	}
	require.Zero(t, b.stats.Moves)
}

func TestRareStreamMovesToo(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.packet(0, documented)
	for range 2 {
		b.pass(7 * time.Second)
		b.packet(1, documented)
	}
	b.pass(time.Second)
	require.Equal(t, VIF(1), b.kernel.routes[documented].in)
}

func TestOnePacketElsewhereMovesNothing(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.stream(0, time.Second)
	b.packet(1, documented)
	b.pass(10 * time.Second)
	require.Equal(t, VIF(0), b.kernel.routes[documented].in)
	require.Empty(t, b.suspects)
}

func TestStreamNeverMovesWhereThePolicyRejectsIt(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.out[documented.Group] = []Out{{Interface: "out0"}}
	b.reject["in1"] = true
	b.stream(0, time.Second)
	b.stream(1, 20*time.Second)
	require.Zero(t, b.stats.Moves)
	require.Equal(t, VIF(0), b.kernel.routes[documented].in)
}

func TestStreamFromARejectedInterfaceIsTakenWhereItMayCome(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.out[documented.Group] = []Out{{Interface: "out0"}}
	b.reject["in1"] = true
	b.stream(1, time.Second)
	require.Equal(t, ttls{}, b.kernel.routes[documented].out)
	b.stream(0, 4*time.Second)
	require.Equal(t, fakeRoute{in: 0, out: ttls{2: 1}}, b.kernel.routes[documented])
}

func TestPacketsElsewhereAreNoSignOfLife(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.out[documented.Group] = []Out{{Interface: "out0"}}
	b.reject["in1"] = true
	b.packet(0, documented)
	b.stream(1, 10*time.Minute+5*time.Second)
	require.Equal(t, uint64(1), b.stats.Stale)
	require.Equal(t, VIF(1), b.kernel.routes[documented].in, "its next packet made a negative entry")
}

func TestStreamLostWhileItMovedIsTakenFromWhereItComes(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.stream(0, time.Second)
	delete(b.kernel.routes, documented)
	b.upcall(&Upcall{Kind: WrongVIF, VIF: 1, SG: documented}, b.now)
	require.Equal(t, VIF(1), b.kernel.routes[documented].in)
	require.Equal(t, uint64(1), b.stats.Lost)
}

// The copies at the other interface are late: when the stream ends the last of them come after it was counted.
func TestLateCopiesOfTheLastPacketMoveNothing(t *testing.T) {
	b := newBench(t, RouterConfig{})
	b.packet(0, documented)
	b.packet(0, documented)
	b.status(b.now) // all that came is counted
	b.packet(1, documented)
	b.pass(50 * time.Millisecond)
	b.packet(1, documented)
	b.pass(20 * time.Second)
	require.Zero(t, b.stats.Moves)
	require.Empty(t, b.suspects)
}

func TestStreamThatHasMovedDoesNotEndWithItsOldPlace(t *testing.T) {
	b := newBench(t, RouterConfig{StaleAfter: time.Minute})
	b.out[documented.Group] = []Out{{Interface: "out0"}}
	b.stream(0, time.Second)
	b.stream(1, 3*time.Minute)
	require.Len(t, b.status(b.now).Entries, 1)
	require.Equal(t, fakeRoute{in: 1, out: ttls{2: 1}}, b.kernel.routes[documented])
	require.Zero(t, b.stats.Stale)
}
