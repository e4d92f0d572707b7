package ofconn_test

import (
	"context"
	"encoding/binary"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

func TestACallCancelledBeforeItIsNotSent(t *testing.T) {
	withSwitch(t, ofconn.Config{}, func(t *testing.T, sw *ofgrouptest.Switch, s *ofconn.Session) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := ports(1, 1).Commit(ctx, s)
		require.ErrorIs(t, err, ofgroup.ErrNotSent)
		require.ErrorIs(t, err, context.Canceled)
		require.NoError(t, s.Barrier(t.Context()))
		require.Zero(t, sw.GroupMods())
	})
}

func TestACallCancelledWhileItWaitsInLineIsNeverWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, dial := newPeer(t)
		s := p.greeted(dial, ofconn.Config{})
		first, third := make(chan error, 1), make(chan error, 1)
		go func() { first <- commit(t, s, 1) }()
		synctest.Wait() // its write blocks, for nobody reads
		ctx, cancel := context.WithCancel(t.Context())
		second := make(chan error, 1)
		go func() { _, err := ports(2, 1).Commit(ctx, s); second <- err }()
		go func() { third <- commit(t, s, 3) }()
		synctest.Wait()

		cancel()

		require.ErrorIs(t, <-second, ofgroup.ErrNotSent)
		var ids []uint32
		for range 4 {
			m := p.recv()
			if m[1] == typeGroupMod {
				ids = append(ids, binary.BigEndian.Uint32(m[12:]))
			} else {
				p.write(reply(21, m))
			}
		}
		require.Equal(t, []uint32{1, 3}, ids)
		require.NoError(t, <-first)
		require.NoError(t, <-third)
	})
}

func TestACallCancelledAfterItsWriteHasAnUnknownOutcome(t *testing.T) {
	withSwitch(t, ofconn.Config{}, func(t *testing.T, sw *ofgrouptest.Switch, s *ofconn.Session) {
		held := make(chan struct{})
		sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgBarrierRequest, Until: held})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()

		_, err := ports(1, 1).Commit(ctx, s)

		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, ofgroup.ErrNotSent)
		_, ok, err := sw.Group(1)
		require.NoError(t, err)
		require.True(t, ok, "it was carried out")
		close(held)
		require.NoError(t, commit(t, s, 2))
		require.EqualValues(t, 1, s.Stats().Unmatched)
	})
}

func TestACallThatLeavesDoesNotTakeTheBarrierOfOthersWithIt(t *testing.T) {
	withSwitch(t, ofconn.Config{}, func(t *testing.T, sw *ofgrouptest.Switch, s *ofconn.Session) {
		held := make(chan struct{})
		sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgBarrierRequest, Times: 3, Until: held})
		for id := range ofgroup.ID(3) { // take all the barriers there may be
			go func() { _ = commit(t, s, id) }()
			time.Sleep(heldNoLonger)
		}
		ctx, cancel := context.WithCancel(t.Context())
		leaves, stays := make(chan error, 1), make(chan error, 1)
		go func() { _, err := ports(8, 1).Commit(ctx, s); leaves <- err }()
		go func() { stays <- commit(t, s, 9) }()
		synctest.Wait()
		require.Equal(t, 3, sw.Count(ofgrouptest.MsgBarrierRequest), "no more than three at a time")

		cancel()
		require.ErrorIs(t, <-leaves, context.Canceled)
		start := time.Now()
		close(held)
		require.NoError(t, <-stays)
		require.Zero(t, time.Since(start), "the next barrier goes out as soon as there is room")
		require.Equal(t, 4, sw.Count(ofgrouptest.MsgBarrierRequest))
	})
}
