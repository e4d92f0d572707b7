package ofconn_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// inARow is more calls than it takes for the connection to be lent.
const inARow = 12

// lent is a session whose connection is lent, to a peer that has answered a row of barriers and does
// nothing more. It works inside a synctest bubble, where no time passes between two calls.
func lent(t *testing.T, cfg ofconn.Config, wrap func(net.Conn) net.Conn) (*peer, *ofconn.Session) {
	t.Helper()
	p, dial := newPeer(t)
	s := p.greeted(func(ctx context.Context) (net.Conn, error) {
		conn, err := dial(ctx)
		return wrap(conn), err
	}, cfg)
	row(t, p, s)
	return p, s
}

// row is barriers that one caller asks for, one after the other.
func row(t *testing.T, p *peer, s *ofconn.Session) {
	t.Helper()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		for range inARow {
			p.write(reply(typeBarrier+1, p.recv()))
		}
	}()
	for range inARow {
		require.NoError(t, s.Barrier(t.Context()))
	}
	<-answered
}

func asItIs(conn net.Conn) net.Conn { return conn }

// patrol counts the goroutines that are reading.
type patrol struct {
	net.Conn
	reading *atomic.Int32
}

func (p patrol) Read(b []byte) (int, error) {
	p.reading.Add(1)
	defer p.reading.Add(-1)
	return p.Conn.Read(b)
}

func TestAConnectionIsLentInARowAndTakenBackSoonAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reading atomic.Int32
		_, s := lent(t, ofconn.Config{}, func(conn net.Conn) net.Conn { return patrol{conn, &reading} })
		synctest.Wait()
		require.Zero(t, reading.Load(), "it is the next caller's to read")
		time.Sleep(time.Millisecond)
		synctest.Wait()
		require.EqualValues(t, 1, reading.Load())
		require.NoError(t, s.Err())
	})
}

func TestAConnectionIsNotLentToWhoTakesHisTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reading atomic.Int32
		p, dial := newPeer(t)
		s := p.greeted(func(ctx context.Context) (net.Conn, error) {
			conn, err := dial(ctx)
			return patrol{conn, &reading}, err
		}, ofconn.Config{})
		p.play(func() {
			for m := p.recv(); m != nil; m = p.recv() {
				p.write(reply(typeBarrier+1, m))
			}
		})
		for range 2 * inARow {
			require.NoError(t, s.Barrier(t.Context()))
			synctest.Wait()
			require.EqualValues(t, 1, reading.Load())
			time.Sleep(100 * time.Microsecond)
		}
	})
}

func TestACallerWhoReadsEndsWithHisContextAndNothingIsLost(t *testing.T) {
	ends := map[string]func() (context.Context, context.CancelFunc, error){
		"cancelled": func() (context.Context, context.CancelFunc, error) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(5*time.Millisecond, cancel)
			return ctx, cancel, context.Canceled
		},
		"deadline": func() (context.Context, context.CancelFunc, error) {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
			return ctx, cancel, context.DeadlineExceeded
		},
		"soon": func() (context.Context, context.CancelFunc, error) {
			ctx, cancel := context.WithTimeout(context.Background(), 500*time.Microsecond)
			return ctx, cancel, context.DeadlineExceeded
		},
		"timeout": func() (context.Context, context.CancelFunc, error) {
			return context.Background(), func() {}, context.DeadlineExceeded
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, s := lent(t, ofconn.Config{Timeout: 20 * time.Millisecond}, asItIs)
				ctx, cancel, cause := end()
				defer cancel()
				began := time.Now()
				halfAnswered := make(chan []byte, 1)
				go func() {
					answer := reply(typeBarrier+1, p.recv())
					p.write(answer[:5])
					halfAnswered <- answer[5:]
				}()
				err := s.Barrier(ctx)
				require.ErrorIs(t, err, cause)
				require.NotErrorIs(t, err, ofgroup.ErrNotSent)
				require.LessOrEqual(t, time.Since(began), 22*time.Millisecond)
				p.write(<-halfAnswered)
				row(t, p, s)
				require.NoError(t, s.Err())
			})
		})
	}
}

// The handler calls, too: it must not run where the connection is read.
func TestWhatElseComesIsDeliveredAtOnceByWhoReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, dial := newPeer(t)
		var silent atomic.Bool
		asked := make(chan struct{}, 1)
		p.play(func() {
			p.greet()
			for m := p.recv(); m != nil; m = p.recv() {
				if silent.Load() {
					asked <- struct{}{}
				} else if m[1] == typeBarrier {
					p.write(reply(typeBarrier+1, m))
				}
			}
		})
		var s *ofconn.Session
		var sent time.Time
		var took []time.Duration
		s, err := ofconn.Open(t.Context(), ofconn.Config{Dial: dial, Events: ofconn.Events{
			PortStatus: func(_ ofconn.PortStatus, at time.Time) {
				took = append(took, at.Sub(sent))
				silent.Store(false)
				assert.NoError(t, s.Barrier(context.Background())) // whose answer is for both
			},
		}})
		require.NoError(t, err)
		defer s.Close()
		for range inARow {
			require.NoError(t, s.Barrier(t.Context()))
		}
		silent.Store(true)
		go func() {
			<-asked
			sent = time.Now()
			p.write(portGone(1))
		}()
		require.NoError(t, s.Barrier(t.Context()))
		time.Sleep(500 * time.Microsecond)
		sent = time.Now()
		p.write(portGone(1)) // while nobody calls
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		require.Len(t, took, 2)
		require.Zero(t, took[0])
		require.LessOrEqual(t, took[1], time.Millisecond)
	})
}

func TestWhatLiesBehindAnAnswerIsDeliveredAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, dial := newPeer(t)
		p.play(func() {
			p.greet()
			for m := p.recv(); m != nil; m = p.recv() {
				if m[1] == typeBarrier {
					p.write(append(reply(typeBarrier+1, m), portGone(1)...))
				}
			}
		})
		delivered := 0
		s, err := ofconn.Open(t.Context(), ofconn.Config{Dial: dial, Events: ofconn.Events{
			PortStatus: func(ofconn.PortStatus, time.Time) { delivered++ },
		}})
		require.NoError(t, err)
		defer s.Close()
		synctest.Wait()
		for range 2 * inARow {
			before := delivered
			require.NoError(t, s.Barrier(t.Context()))
			began := time.Now()
			synctest.Wait()
			require.Equal(t, before+1, delivered)
			require.Zero(t, time.Since(began))
		}
	})
}

func TestACallerWhoReadsALotOfOtherThingsEndsWithHisContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, s := lent(t, ofconn.Config{}, asItIs)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer cancel()
		go func() {
			p.recv()
			for range 100 {
				p.write(reply(typeBarrier+1, nil))
				time.Sleep(500 * time.Microsecond)
			}
		}()
		began := time.Now()
		require.ErrorIs(t, s.Barrier(ctx), context.DeadlineExceeded)
		require.LessOrEqual(t, time.Since(began), 6*time.Millisecond)
		time.Sleep(time.Second)
	})
}

func TestABundleBringsTheConnectionBack(t *testing.T) {
	withConn(t, ofconn.Config{}, func(t *testing.T, sw *front, c *ofconn.Conn) {
		for range inARow {
			require.NoError(t, commitTo(t, c, 1))
		}
		began := time.Now()
		m, err := ports(1, 1).Mod(ofgroup.AddOrMod, c.Version())
		require.NoError(t, err)
		require.NoError(t, c.Bundle(t.Context(), ofconn.GroupMod{Mod: m}))
		require.Zero(t, time.Since(began))
	})
}

func TestASecondCallerIsServedWhileTheFirstReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, s := lent(t, ofconn.Config{}, asItIs)
		var all sync.WaitGroup
		began := time.Now()
		all.Go(func() { assert.NoError(t, s.Barrier(t.Context())) })
		first := p.recv()
		all.Go(func() { assert.NoError(t, s.Barrier(t.Context())) })
		second := p.recv()
		p.write(reply(typeBarrier+1, first))
		p.write(reply(typeBarrier+1, second))
		all.Wait()
		require.Zero(t, time.Since(began))
		row(t, p, s)
	})
}

func TestTheEndOfTheConnectionEndsWhoReads(t *testing.T) {
	ends := map[string]func(*peer, *ofconn.Session) error{
		"peer":  func(p *peer, _ *ofconn.Session) error { p.conn.Close(); return io.EOF },
		"close": func(_ *peer, s *ofconn.Session) error { s.Close(); return ofconn.ErrClosed },
		"garbage": func(p *peer, _ *ofconn.Session) error {
			p.send("0615000000000000")
			return ofconn.ErrProtocol
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, s := lent(t, ofconn.Config{}, asItIs)
				ended := make(chan error)
				go func() { ended <- s.Barrier(t.Context()) }()
				p.recv()
				cause := end(p, s)
				err := <-ended
				require.ErrorIs(t, err, ofgroup.ErrDisconnected)
				require.ErrorIs(t, err, cause)
			})
		})
	}
}

// A deadline of TLS must not spoil what it had read.
func TestATLSConnectionOutlivesWhoReads(t *testing.T) {
	a := newAuthority(t)
	a.sign("switch", loopback)
	server := &tls.Config{Certificates: a.config("switch").Certificates}
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		conn := tls.Server(far, server)
		p := &peer{t: t, conn: conn, r: bufio.NewReader(conn)}
		s := p.greeted(func(context.Context) (net.Conn, error) {
			return tls.Client(near, &tls.Config{InsecureSkipVerify: true}), nil // what is tested is not who it is
		}, ofconn.Config{})
		defer far.Close()
		for range 2 {
			row(t, p, s)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
			heard := make(chan []byte, 1)
			go func() { heard <- p.recv() }()
			require.ErrorIs(t, s.Barrier(ctx), context.DeadlineExceeded)
			cancel()
			<-heard
		}
		require.NoError(t, s.Err())
	})
}

// deaf is a connection without deadlines.
type deaf struct{ net.Conn }

func (deaf) SetReadDeadline(time.Time) error { return errors.ErrUnsupported }

func TestAConnectionWithoutDeadlinesIsNotLent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reading atomic.Int32
		lent(t, ofconn.Config{}, func(conn net.Conn) net.Conn { return deaf{patrol{conn, &reading}} })
		synctest.Wait()
		require.EqualValues(t, 1, reading.Load())
	})
}
