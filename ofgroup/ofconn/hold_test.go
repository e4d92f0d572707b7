package ofconn_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// heldNoLonger is longer than a message ever waits for others to go with it.
const heldNoLonger = 3 * time.Millisecond

func TestAMessageWaitsForOthersOnlyALittle(t *testing.T) {
	withSwitch(t, ofconn.Config{}, func(t *testing.T, sw *ofgrouptest.Switch, s *ofconn.Session) {
		held := make(chan struct{})
		defer close(held)
		sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgBarrierRequest, Times: always, Until: held})
		for id := range ofgroup.ID(5) {
			go func() { _ = commit(t, s, id) }()
			synctest.Wait()
		}
		require.Equal(t, 4, sw.GroupMods(), "one, another, then two at a time, then it would be four")
		for n := 5; n < 10; n++ {
			time.Sleep(heldNoLonger)
			require.Equal(t, n, sw.GroupMods())
			go func() { _ = commit(t, s, 1) }()
			synctest.Wait()
			require.Equal(t, n, sw.GroupMods())
		}
	})
}

func TestManyCallersShareFewBarriers(t *testing.T) {
	withSwitch(t, ofconn.Config{}, func(t *testing.T, sw *ofgrouptest.Switch, s *ofconn.Session) {
		const callers, each = 64, 50
		sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgBarrierRequest, Times: always, Delay: time.Microsecond})
		var all sync.WaitGroup
		for id := range ofgroup.ID(callers) {
			all.Go(func() {
				for range each {
					if err := commit(t, s, id); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		require.EqualValues(t, callers*each, s.Stats().Sent)
		require.Less(t, s.Stats().Barriers, uint64(callers*each/8))
	})
}
