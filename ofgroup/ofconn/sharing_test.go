package ofconn_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
)

func TestCommitsUnderWayAtTheSameTimeShareBarriers(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	relay := relayTo(t, lab)
	s := open(t, relay.Dial)
	const writers, each = 64, 50

	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				receipt, err := ports(ofgroup.ID(w), i+1).Commit(t.Context(), s)
				if err != nil || !receipt.Confirmed {
					t.Errorf("writer %d: %v", w, err)
					return
				}
			}
		})
	}
	all.Wait()

	sent := relay.ToSwitch().ByType
	require.Equal(t, writers*each, sent[typeGroupMod])
	require.Less(t, sent[typeBarrier], writers*each/4, "barriers are shared")
	require.EqualValues(t, sent[typeBarrier], s.Stats().Barriers)
	require.EqualValues(t, sent[typeGroupMod], s.Stats().Sent)
	t.Logf("%d commits, %d barriers, %d writes", sent[typeGroupMod], sent[typeBarrier], s.Stats().Writes)
	for w := range writers {
		requireHeld(t, lab, s, ofgroup.ID(w), []int{each})
	}
}

func TestALoneCommitIsOneMessageAndOneBarrierInOneWrite(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	relay := relayTo(t, lab)
	s := open(t, relay.Dial)
	require.NoError(t, s.Barrier(t.Context())) // the hello is through
	relay.Reset()
	before := s.Stats().Writes

	_, err := ports(1, 1).Commit(t.Context(), s)
	require.NoError(t, err)

	require.Equal(t, map[uint8]int{typeGroupMod: 1, typeBarrier: 1}, relay.ToSwitch().ByType)
	require.Equal(t, before+1, s.Stats().Writes)
}
