package ofconn_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// always strikes every message of a type.
const always = -1

// withSwitch runs f inside a bubble, with a session to an in-process switch.
func withSwitch(t *testing.T, cfg ofconn.Config, f func(*testing.T, *ofgrouptest.Switch, *ofconn.Session)) {
	synctest.Test(t, func(t *testing.T) {
		sw := ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
		defer sw.Close()
		cfg.Dial = sw.Dial
		s, err := ofconn.Open(t.Context(), cfg)
		require.NoError(t, err)
		defer s.Close()
		f(t, sw, s)
	})
}

func commit(t *testing.T, s *ofconn.Session, id ofgroup.ID) error {
	_, err := ports(id, 1).Commit(t.Context(), s)
	return err
}

func TestAnswersThatComeLateAndTwiceAreDroppedAndCounted(t *testing.T) {
	withSwitch(t, ofconn.Config{Timeout: 100 * time.Millisecond}, func(t *testing.T, sw *ofgrouptest.Switch, s *ofconn.Session) {
		disarm := sw.Inject(ofgrouptest.Fault{
			On: ofgrouptest.MsgBarrierRequest, Times: always, Delay: 150 * time.Millisecond, Twice: true,
		})
		before := runtime.NumGoroutine()
		const commits = 1000
		for i := range commits {
			err := commit(t, s, ofgroup.ID(i))
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.NotErrorIs(t, err, ofgroup.ErrNotSent, "it was written, so nobody knows")
		}
		require.LessOrEqual(t, runtime.NumGoroutine(), before)
		require.Zero(t, s.Stats().Pending)

		disarm()
		time.Sleep(time.Second) // of the bubble's clock: the last late answers
		require.EqualValues(t, 2*commits, s.Stats().Unmatched)
		require.NoError(t, commit(t, s, 1))
		require.Equal(t, commits+1, sw.GroupMods(), "each was sent once")
	})
}

func TestBarriersThatAreNeverAnsweredDoNotKeepOthersOut(t *testing.T) {
	withSwitch(t, ofconn.Config{Timeout: time.Second}, func(t *testing.T, sw *ofgrouptest.Switch, s *ofconn.Session) {
		disarm := sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgBarrierRequest, Times: always, Mute: true})
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				if err := commit(t, s, ofgroup.ID(i)); err == nil {
					t.Error("confirmed without an answer")
				}
			})
		}
		all.Wait()
		disarm()
		require.NoError(t, commit(t, s, 1))
	})
}

func TestACallerThatGivesUpMakesRoomForTheBarrierOfAnother(t *testing.T) {
	withSwitch(t, ofconn.Config{Timeout: time.Minute}, func(t *testing.T, sw *ofgrouptest.Switch, s *ofconn.Session) {
		sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgBarrierRequest, Times: 3, Mute: true})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		for id := range ofgroup.ID(3) {
			go func() { _, _ = ports(id, 1).Commit(ctx, s) }()
			time.Sleep(heldNoLonger)
		}
		require.NoError(t, commit(t, s, 9))
		require.Equal(t, time.Second, time.Since(start))
	})
}

func TestALaterBarrierConfirmsWhatAnEarlierOneCovered(t *testing.T) {
	withSwitch(t, ofconn.Config{Timeout: time.Minute}, func(t *testing.T, sw *ofgrouptest.Switch, s *ofconn.Session) {
		sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgBarrierRequest, Mute: true}) // the first one only
		first := make(chan error, 1)
		go func() { first <- commit(t, s, 1) }()
		synctest.Wait()

		start := time.Now()
		require.NoError(t, commit(t, s, 2))
		require.NoError(t, <-first)
		require.Zero(t, time.Since(start))
	})
}

func TestADescriptionNobodyAnswersLeavesNothingBehind(t *testing.T) {
	withSwitch(t, ofconn.Config{Timeout: time.Second}, func(t *testing.T, sw *ofgrouptest.Switch, s *ofconn.Session) {
		require.NoError(t, commit(t, s, 7))
		const queries = 10_000
		timedOut := 0
		for i := range queries {
			if i%10 == 9 {
				sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgMultipartRequest, Ignore: true})
			}
			_, ok, err := s.GroupDesc(t.Context(), 7)
			if err != nil {
				require.ErrorIs(t, err, context.DeadlineExceeded)
				timedOut++
				continue
			}
			require.True(t, ok)
		}
		require.Equal(t, queries/10, timedOut)
		require.Zero(t, s.Stats().Pending)
	})
}

func TestADisconnectFailsEveryPendingCallWithATypedError(t *testing.T) {
	withSwitch(t, ofconn.Config{Timeout: time.Hour, EchoInterval: 24 * time.Hour}, func(t *testing.T, sw *ofgrouptest.Switch, s *ofconn.Session) {
		sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgBarrierRequest, Times: always, Mute: true})
		sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgMultipartRequest, Mute: true})
		const n = 10
		errs := make(chan error, n+2)
		for i := range n {
			go func() { errs <- commit(t, s, ofgroup.ID(i)) }()
		}
		go func() { errs <- s.Barrier(t.Context()) }()
		go func() { _, _, err := s.GroupDesc(t.Context(), 1); errs <- err }()
		time.Sleep(heldNoLonger) // all is written
		require.Equal(t, n+2, s.Stats().Pending)

		sw.Disconnect()

		for range n + 2 {
			err := <-errs
			require.ErrorIs(t, err, ofgroup.ErrDisconnected)
			require.NotErrorIs(t, err, ofgroup.ErrNotSent, "it was written")
		}
		<-s.Done()
		require.ErrorIs(t, s.Err(), ofgroup.ErrDisconnected)
		err := commit(t, s, 1)
		require.ErrorIs(t, err, ofgroup.ErrNotSent, "there is nothing to write to")
		require.ErrorIs(t, err, ofgroup.ErrDisconnected)
		require.Zero(t, s.Stats().Pending)
	})
}
