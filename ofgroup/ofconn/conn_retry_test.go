package ofconn_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// openDialer counts the connections that are open at the client's end.
type openDialer struct {
	dial      func(try int) (net.Conn, error)
	mu        sync.Mutex
	tries     int
	open, max int
}

func (d *openDialer) Dial(context.Context) (net.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tries++
	c, err := d.dial(d.tries)
	if err != nil {
		return nil, err
	}
	d.open++
	d.max = max(d.max, d.open)
	return &openConn{Conn: c, d: d}, nil
}

type openConn struct {
	net.Conn
	d    *openDialer
	once sync.Once
}

func (c *openConn) Close() error {
	c.once.Do(func() {
		c.d.mu.Lock()
		defer c.d.mu.Unlock()
		c.d.open--
	})
	return c.Conn.Close()
}

func TestAnyNumberOfFailedHandshakesLeadsToAnotherAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newFront(t)
		d := &openDialer{dial: func(try int) (net.Conn, error) {
			near, far := net.Pipe()
			p := &peer{t: t, conn: far}
			switch try {
			case 1: // takes the connection and closes it
				return near, far.Close()
			case 2: // never reads, and closes after two seconds
				p.play(func() { time.Sleep(2 * time.Second); far.Close() })
				return near, nil
			case 3: // says hello and closes
				p.play(func() { p.send(switchHello15); far.Close() })
				return near, nil
			case 4: // is not there
				return nil, errors.New("not there")
			case 5: // never says a word
				p.play(func() { time.Sleep(time.Hour) })
				return near, nil
			}
			return sw.Dial(t.Context())
		}}
		conn := ofconn.New(ofconn.Config{Dial: d.Dial})
		running(t, conn)
		require.NoError(t, commitTo(t, conn, 1))
		require.Equal(t, 6, d.tries)
		require.Equal(t, 1, d.open)
		require.Equal(t, 1, d.max, "the old socket is closed first")
		require.Equal(t, ofconn.ConnStats{Attempts: 6, Connected: 1}, conn.Stats())
	})
}

func TestTheOldSocketIsClosedBeforeTheNextIsOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newFront(t)
		d := &openDialer{dial: func(int) (net.Conn, error) { return sw.Dial(t.Context()) }}
		conn := ofconn.New(ofconn.Config{Dial: d.Dial})
		running(t, conn)
		for range 20 {
			old := live(t, conn)
			sw.Disconnect()
			again(t, conn, old)
		}
		require.Equal(t, 21, d.tries)
		require.Equal(t, 1, d.max)
	})
}

// A switch that is away is called often enough to be found within MaxBackoff of
// its return, and not more often.
func TestAttemptsAreSpreadAndCapped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		start := time.Now()
		conn := ofconn.New(ofconn.Config{
			MinBackoff: 100 * time.Millisecond, MaxBackoff: time.Second,
			Dial: func(context.Context) (net.Conn, error) {
				at = append(at, time.Since(start))
				return nil, errors.New("away")
			},
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, conn.Run(ctx))

		longest := []time.Duration{100, 200, 400, 800, 1000} // ms
		var pauses []time.Duration
		for i := 1; i < len(at); i++ {
			most := longest[min(i, len(longest))-1] * time.Millisecond
			pauses = append(pauses, at[i]-at[i-1])
			assert.LessOrEqual(t, pauses[i-1], most)
			assert.GreaterOrEqual(t, pauses[i-1], most/2)
		}
		require.Greater(t, len(pauses), 59)
		capped := pauses[4:]
		require.NotEqual(t, capped[0], capped[1], "the waits are not all alike")
	})
}

// A deadline of Run's own does not stretch an attempt.
func TestAnAttemptEndsAfterItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := ofconn.New(ofconn.Config{Timeout: time.Second, Dial: func(context.Context) (net.Conn, error) {
			near, far := net.Pipe() // nobody is there
			t.Cleanup(func() { far.Close() })
			return near, nil
		}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, conn.Run(ctx))
		require.GreaterOrEqual(t, conn.Stats().Attempts, uint64(30))
	})
}

// A switch that greets everybody and then throws them out is not called without
// a pause; one that was lost after a while is called soon.
func TestAConnectionThatDoesNotLastCountsAsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newFront(t)
		conn := ofconn.New(ofconn.Config{Dial: sw.Dial})
		running(t, conn)
		for range 10 {
			old := live(t, conn)
			time.Sleep(100 * time.Millisecond)
			sw.Disconnect()
			again(t, conn, old)
		}
		old, lost := live(t, conn), time.Now()
		sw.Disconnect()
		again(t, conn, old)
		require.GreaterOrEqual(t, time.Since(lost), 500*time.Millisecond)

		time.Sleep(time.Minute) // it lasts
		old, lost = live(t, conn), time.Now()
		sw.Disconnect()
		again(t, conn, old)
		require.LessOrEqual(t, time.Since(lost), 100*time.Millisecond)
	})
}

func TestAStreamThatCannotBeFollowedIsLeftAndMadeAgain(t *testing.T) {
	withConn(t, ofconn.Config{}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		old := live(t, conn)
		sw.Send(unhex("0602000800000001" + "0602000400000009" + "0602000800000002"))
		again(t, conn, old)
		require.ErrorIs(t, old.Err(), ofconn.ErrProtocol)
		require.NoError(t, commitTo(t, conn, 1))
		require.Equal(t, 2, sw.dials())
	})
}

// Whoever holds a Conn sends on the connection that there is, never on the one
// there was.
func TestMessagesGoToTheConnectionThatThereIs(t *testing.T) {
	withConn(t, ofconn.Config{}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		table := ofgroup.NewTable(conn, ofgroup.TableConfig{})
		const groups = 50
		for id := range ofgroup.ID(groups) {
			_, err := table.Commit(t.Context(), ports(id, 1))
			require.NoError(t, err)
		}
		old := live(t, conn)
		sw.Disconnect()
		again(t, conn, old)
		sw.Refuse(outOfGroups)
		refused := 0
		for id := range ofgroup.ID(groups) {
			if _, err := table.Commit(t.Context(), ports(id, 2)); err != nil {
				require.ErrorIs(t, err, ofgroup.ErrOutOfGroups)
				refused++
			}
		}
		require.Equal(t, 1, refused, "and the other 49 are sent")
		require.Len(t, sw.heard(1, ofgrouptest.MsgGroupMod), groups)
		require.Len(t, sw.heard(2, ofgrouptest.MsgGroupMod), groups)
		require.Error(t, old.Err())
	})
}
