package ofconn_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// All calls share one timer; nevertheless each ends when its own time is over, whoever
// came before or after it.
func TestEachCallEndsWithItsOwnTime(t *testing.T) {
	withSwitch(t, ofconn.Config{Timeout: 10 * time.Second}, func(t *testing.T, sw *ofgrouptest.Switch, s *ofconn.Session) {
		sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgBarrierRequest, Times: always, Mute: true})
		var all sync.WaitGroup
		for round := range 3 {
			for i, limit := range []time.Duration{time.Minute, 10 * time.Second, time.Second, 30 * time.Second} {
				id := ofgroup.ID(10*round + i)
				table := ofgroup.NewTable(s, ofgroup.TableConfig{Timeout: limit})
				all.Go(func() {
					start := time.Now()
					_, err := table.Commit(t.Context(), ports(id, 1))
					if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != limit {
						t.Errorf("%v after %v, not %v", err, took, limit)
					}
				})
				time.Sleep(100 * time.Millisecond)
			}
		}
		start := time.Now()
		err := commit(t, s, 99)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 10*time.Second, time.Since(start), "the session's own")
		all.Wait()
		require.Zero(t, s.Stats().Pending)
	})
}

// A call that ends with its context does not wait for its time.
func TestACallEndsWithItsContextBeforeItsTime(t *testing.T) {
	withSwitch(t, ofconn.Config{}, func(t *testing.T, sw *ofgrouptest.Switch, s *ofconn.Session) {
		sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgBarrierRequest, Times: always, Mute: true})
		table := ofgroup.NewTable(s, ofgroup.TableConfig{Timeout: time.Hour})
		ctx, cancel := context.WithCancel(t.Context())
		start := time.Now()
		time.AfterFunc(time.Minute, cancel)
		_, err := table.Commit(ctx, ports(1, 1))
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, time.Minute, time.Since(start))

		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = table.Commit(ctx, ports(1, 1))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Minute+time.Second, time.Since(start))
	})
}
