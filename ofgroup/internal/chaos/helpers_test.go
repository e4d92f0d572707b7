package chaos_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ofmcast/ofmcast/internal/turmoil"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	workers  = 64
	groups   = 1000
	tooLong  = 30 * time.Second // for one call: three times its timeout
	sendTime = 10 * time.Second
)

// duration is how long the chaos lasts.
func duration(t *testing.T) time.Duration { return turmoil.Time(t, 5*time.Second) }

// storm is a table on a bad connection, and those who use it all at once.
type storm struct {
	t     *testing.T
	seed  uint64
	noise *ofgrouptest.Noise
	conn  *ofconn.Conn
	table *ofgroup.Table

	calls, failures, lost atomic.Int64
	longest               atomic.Int64 // of all calls, in nanoseconds
}

// newStorm connects to a switch; the connection ends with the test.
func newStorm(t *testing.T, dial func(context.Context) (net.Conn, error)) *storm {
	s := &storm{t: t, seed: turmoil.Seed(t)}
	s.noise = ofgrouptest.NewNoise(ofgrouptest.NoiseConfig{
		Seed: s.seed, Cut: 1. / 8000, Truncate: 1. / 8000, Twice: 1. / 50, Delay: 1. / 500,
	})
	s.conn = ofconn.New(ofconn.Config{
		Dial:       s.noise.Dial(dial),
		OnConnect:  s.replay,
		Timeout:    sendTime,
		MinBackoff: time.Millisecond, MaxBackoff: 20 * time.Millisecond,
	})
	s.table = ofgroup.NewTable(s.conn, ofgroup.TableConfig{Timeout: sendTime})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = s.conn.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
		s.noise.Wait()
	})
	return s
}

// replay takes a refusal for what it is: the group's trouble and not the connection's.
func (s *storm) replay(ctx context.Context, session *ofconn.Session) error {
	err := s.table.Replay(ctx, session)
	if errors.Is(err, ofgroup.ErrDisconnected) {
		return err
	}
	return nil
}

// rage has all workers change groups at random for as long as the test lasts, and returns
// when the last call has.
func (s *storm) rage(d time.Duration) {
	end := time.Now().Add(d)
	var all sync.WaitGroup
	for w := range workers {
		random := rand.New(rand.NewPCG(s.seed, uint64(w)))
		all.Go(func() {
			for time.Now().Before(end) {
				s.count(s.anyCall(random))
			}
		})
	}
	all.Wait()
	s.t.Logf("%d calls, %d failed, %d of them disconnected; %d messages spoiled, %d connections; the longest call took %v",
		s.calls.Load(), s.failures.Load(), s.lost.Load(), s.noise.Struck(), s.conn.Stats().Connected, time.Duration(s.longest.Load()))
	require.Less(s.t, time.Duration(s.longest.Load()), tooLong, "no call hangs")
	require.Positive(s.t, s.calls.Load()-s.failures.Load())
}

// count waits out a lost connection, which is no call's business.
func (s *storm) count(err error) {
	s.calls.Add(1)
	if err == nil {
		return
	}
	s.failures.Add(1)
	if errors.Is(err, ofgroup.ErrDisconnected) {
		s.lost.Add(1)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.conn.WaitConnected(ctx)
	}
}

func (s *storm) anyCall(random *rand.Rand) error {
	ctx := context.Background()
	if random.IntN(20) == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(random.IntN(3000))*time.Microsecond)
		defer cancel()
	}
	began := time.Now()
	err := s.call(ctx, random)
	took := int64(time.Since(began))
	for longest := s.longest.Load(); took > longest && !s.longest.CompareAndSwap(longest, took); {
		longest = s.longest.Load()
	}
	return err
}

// call is one of a table's calls for one group.
func (s *storm) call(ctx context.Context, random *rand.Rand) (err error) {
	id := ofgroup.ID(1 + random.IntN(groups))
	switch random.IntN(10) {
	case 0:
		return s.table.Delete(ctx, id)
	case 1, 2:
		_, err = s.table.Commit(ctx, someGroup(random, id))
	case 3, 4:
		_, err = s.table.Sync(ctx, someGroup(random, id))
	default:
		err = s.table.Update(ctx, id, func(old ofgroup.Group, ok bool) (ofgroup.Group, error) {
			if !ok {
				return someGroup(random, id), nil
			}
			return oneChange(random, old), nil
		})
	}
	return err
}

// typeOf never changes for an ID. Two of three groups are of type All.
func typeOf(id ofgroup.ID) ofgroup.Type {
	if id%3 == 0 {
		return ofgroup.Select
	}
	return ofgroup.All
}

// someBucket has a key, but in every fifth group.
func someBucket(id ofgroup.ID, port int) ofgroup.Bucket {
	b := ofgroup.NewBucket(ofgroup.Output(ofgroup.Port(port)))
	if id%5 == 0 {
		return b
	}
	return b.WithKey(strconv.Itoa(port))
}

func someGroup(random *rand.Rand, id ofgroup.ID) ofgroup.Group {
	g := ofgroup.New(id, typeOf(id))
	for port := 1; port <= 8; port++ {
		if random.IntN(2) == 0 {
			g = g.AddBuckets(someBucket(id, port))
		}
	}
	return g
}

// oneChange is a bucket more or less.
func oneChange(random *rand.Rand, g ofgroup.Group) ofgroup.Group {
	var kept []ofgroup.Bucket
	change, there := someBucket(g.ID(), 1+random.IntN(8)), false
	key, keyed := change.Key()
	for b := range g.Buckets() {
		if k, _ := b.Key(); keyed && k == key {
			there = true
			continue
		}
		kept = append(kept, b)
	}
	if !there {
		kept = append(kept, change)
	}
	return g.WithBuckets(kept...)
}

// calm ends the noise and brings every group to what its owner now wants, by one call each.
func (s *storm) calm() {
	s.noise.Quiet()
	s.settled()
	random := rand.New(rand.NewPCG(s.seed, workers))
	wanted := make(chan ofgroup.Group, groups)
	for id := range ofgroup.ID(groups) {
		wanted <- someGroup(random, id+1)
	}
	close(wanted)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for g := range wanted {
				var err error
				if g.Len() == 0 {
					err = s.table.Delete(context.Background(), g.ID())
				} else {
					_, err = s.table.Sync(context.Background(), g)
				}
				if err != nil {
					s.t.Errorf("group %v after the noise: %v", g.ID(), err)
				}
			}
		})
	}
	all.Wait()
}

// settled returns when a connection has outlived what the noise left behind.
func (s *storm) settled() {
	for {
		ctx, cancel := context.WithTimeout(context.Background(), tooLong)
		err := s.conn.WaitConnected(ctx)
		cancel()
		require.NoError(s.t, err)
		session, err := s.conn.Session()
		if err == nil && session.Barrier(context.Background()) == nil {
			return
		}
	}
}

// agree asks that the table is sure of every group, and that the switch has just these.
func (s *storm) agree(held map[ofgroup.ID]ofgroup.Group) {
	known := 0
	for id := range ofgroup.ID(groups) {
		g, state := s.table.Lookup(id + 1)
		is, there := held[id+1]
		switch state {
		case ofgroup.Held:
			known++
			require.True(s.t, there && is.Equal(g), "group %v\ntable  %v\nswitch %v", id+1, g, is)
		case ofgroup.Absent:
			require.False(s.t, there, "group %v is %v", id+1, is)
		default:
			require.Fail(s.t, "unsure", "group %v is %v", id+1, state)
		}
	}
	require.Len(s.t, held, known, "and no others")
}
