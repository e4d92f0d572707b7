package ofconn_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// Writers who try again until they are confirmed, against a switch that loses,
// delays, refuses and cuts off: when the faults end, the switch holds what was
// wanted last, and nothing waits for anything any more.
func TestWhateverGoesWrongTheSwitchHoldsWhatIsWanted(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			sw := newFront(t)
			want := &wanted{groups: map[ofgroup.ID]ofgroup.Group{}}
			conn := ofconn.New(ofconn.Config{
				Dial: sw.Dial, Timeout: time.Second, OnConnect: want.replay,
				EchoInterval: time.Second, NoFence: seed%4 == 3,
			})
			running(t, conn)
			var writers sync.WaitGroup
			for id := range ofgroup.ID(8) {
				writers.Go(func() { want.write(t, conn, id, rand.New(rand.NewPCG(seed, uint64(id)))) })
			}
			misbehave(sw, rand.New(rand.NewPCG(seed, 99)))
			writers.Wait()
			require.NoError(t, conn.WaitConnected(t.Context()))
			require.NoError(t, conn.Barrier(t.Context()))

			for id, g := range want.groups {
				held, ok, err := sw.Group(id)
				require.NoError(t, err)
				require.True(t, ok && held.Equal(g), "seed %d: %v instead of %v", seed, held, g)
			}
			require.Zero(t, live(t, conn).Stats().Pending)
			require.Equal(t, 1, sw.Conns())
		})
	}
}

// wanted is what an application wants the switch to hold.
type wanted struct {
	mu     sync.Mutex
	groups map[ofgroup.ID]ofgroup.Group
}

func (w *wanted) set(g ofgroup.Group) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.groups[g.ID()] = g
}

func (w *wanted) replay(ctx context.Context, s *ofconn.Session) error {
	w.mu.Lock()
	all := make([]ofgroup.Group, 0, len(w.groups))
	for _, g := range w.groups {
		all = append(all, g)
	}
	w.mu.Unlock()
	for _, g := range all {
		if _, err := g.Commit(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// write changes one group now and then, and tries each change until it is
// confirmed.
func (w *wanted) write(t *testing.T, conn *ofconn.Conn, id ofgroup.ID, r *rand.Rand) {
	for port := range 30 {
		g := ports(id, port+1)
		w.set(g)
		for {
			if _, err := g.Commit(t.Context(), conn); err == nil {
				break
			}
			time.Sleep(50 * time.Millisecond) // of the bubble's clock
		}
		time.Sleep(time.Duration(r.IntN(300)) * time.Millisecond)
	}
}

// misbehave does everything that a switch can do wrong, for a while.
func misbehave(sw *front, r *rand.Rand) {
	types := []ofgrouptest.MessageType{
		ofgrouptest.MsgGroupMod, ofgrouptest.MsgBarrierRequest, ofgrouptest.MsgEchoRequest, ofgrouptest.MsgRoleRequest,
	}
	for range 30 {
		f := ofgrouptest.Fault{On: types[r.IntN(len(types))], Skip: r.IntN(5), Times: 1 + r.IntN(3)}
		switch r.IntN(7) {
		case 0:
			f.Ignore = f.On != ofgrouptest.MsgGroupMod // a stream loses nothing in between
		case 1:
			f.Mute = true
		case 2:
			f.Twice = true
		case 3:
			f.Delay = time.Duration(r.IntN(1500)) * time.Millisecond
		case 4:
			f.Close = true
		case 5:
			f.Refuse = &outOfGroups
		case 6:
			sw.Restart()
		}
		sw.Inject(f)
		time.Sleep(time.Duration(r.IntN(500)) * time.Millisecond)
		if r.IntN(5) == 0 {
			sw.Disconnect()
		}
	}
}
