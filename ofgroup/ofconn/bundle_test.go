package ofconn_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// withBundles runs f inside a bubble, with a session to a hand-made switch.
func withBundles(t *testing.T, p *bundlePeer, f func(*testing.T, *ofconn.Session)) {
	synctest.Test(t, func(t *testing.T) {
		var dial dialer
		p.peer, dial = newPeer(t)
		s := p.greeted(dial, ofconn.Config{})
		p.play(p.serve)
		f(t, s)
	})
}

func twoGroups(t testing.TB) []ofconn.Message {
	v := ofgroup.OpenFlow15
	return []ofconn.Message{groupMod(t, ports(1, 1), ofgroup.Add, v), groupMod(t, ports(2, 1), ofgroup.Add, v)}
}

const (
	bundleOpen    = openflow.BundleOpen
	bundleClose   = openflow.BundleClose
	bundleCommit  = openflow.BundleCommit
	bundleDiscard = openflow.BundleDiscard
)

func TestABundleIsOpenedFilledClosedAndCommitted(t *testing.T) {
	p := &bundlePeer{}
	withBundles(t, p, func(t *testing.T, s *ofconn.Session) {
		require.NoError(t, s.Bundle(t.Context(), twoGroups(t)...))
		steps, bundles := p.steps(t)
		require.Equal(t, []openflow.BundleStep{bundleOpen, bundleClose, bundleCommit}, steps)
		require.Equal(t, 1, bundles)
		require.Len(t, p.adds, 2)
		require.NoError(t, s.Bundle(t.Context()), "nothing to do is done")
		require.Len(t, p.heard, 3)
		require.Zero(t, s.Stats().Pending)
	})
}

// The switch drops bundles that are idle for too long, whatever we were kept by.
func TestABundleThatExpiredIsSentOnceMoreUnderAnotherNumber(t *testing.T) {
	for name, at := range map[string]openflow.BundleStep{
		"before the close": bundleClose, "before the commit": bundleCommit, "at the start": bundleOpen,
	} {
		for _, code := range []byte{openflow.BundleBadID, openflow.BundleTimeout} {
			t.Run(name, func(t *testing.T) {
				first := true
				p := &bundlePeer{}
				p.refusal = func(c openflow.BundleControl) []byte {
					if c.Step != at || !first {
						return nil
					}
					first = false
					return bundleFailed(code)
				}
				withBundles(t, p, func(t *testing.T, s *ofconn.Session) {
					require.NoError(t, s.Bundle(t.Context(), twoGroups(t)...))
					_, bundles := p.steps(t)
					require.Equal(t, 2, bundles)
					require.EqualValues(t, 1, s.Stats().BundleRetries)
					require.Len(t, p.adds, 4)
					require.Zero(t, s.Stats().Pending)
				})
			})
		}
	}
}

func TestABundleThatKeepsExpiringIsGivenUp(t *testing.T) {
	p := &bundlePeer{refusal: func(c openflow.BundleControl) []byte {
		if c.Step == bundleClose {
			return bundleFailed(openflow.BundleTimeout)
		}
		return nil
	}}
	withBundles(t, p, func(t *testing.T, s *ofconn.Session) {
		err := s.Bundle(t.Context(), twoGroups(t)...)
		require.ErrorContains(t, err, "OFPBFC_TIMEOUT")
		require.NotErrorAs(t, err, new(*ofconn.BundleError))
		synctest.Wait() // nobody waits for the discard
		steps, bundles := p.steps(t)
		require.Equal(t, 2, bundles)
		require.NotContains(t, steps, bundleCommit)
	})
}

// A switch would carry out the rest of a bundle of which it refused a message.
func TestARefusedMessageDiscardsTheBundle(t *testing.T) {
	p := &bundlePeer{badAdd: 2}
	withBundles(t, p, func(t *testing.T, s *ofconn.Session) {
		err := s.Bundle(t.Context(), twoGroups(t)...)
		var at *ofconn.BundleError
		require.ErrorAs(t, err, &at)
		require.Equal(t, 1, at.Index)
		require.ErrorIs(t, err, ofgroup.ErrGroupExists)
		require.ErrorContains(t, err, "message 1 (add group_id=2,")
		synctest.Wait()
		steps, _ := p.steps(t)
		require.Equal(t, []openflow.BundleStep{bundleOpen, bundleClose, bundleDiscard}, steps)
		require.Zero(t, s.Stats().Pending)
		require.Zero(t, s.EventStats().PacketOutsRefused)
	})
}

func TestACallerThatGivesUpBeforeTheCommitDiscardsTheBundle(t *testing.T) {
	p := &bundlePeer{mute: func(c openflow.BundleControl) bool { return c.Step == bundleClose }}
	withBundles(t, p, func(t *testing.T, s *ofconn.Session) {
		err := s.Bundle(t.Context(), twoGroups(t)...) // by its default timeout
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, ofgroup.ErrNotSent, "not committed")
		synctest.Wait()
		steps, _ := p.steps(t)
		require.Equal(t, []openflow.BundleStep{bundleOpen, bundleClose, bundleDiscard}, steps)
		require.Zero(t, s.Stats().Pending)
	})
}

func TestACommitWithoutAnAnswerHasAnUnknownOutcome(t *testing.T) {
	p := &bundlePeer{mute: func(c openflow.BundleControl) bool { return c.Step == bundleCommit }}
	withBundles(t, p, func(t *testing.T, s *ofconn.Session) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := s.Bundle(ctx, twoGroups(t)...)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, ofgroup.ErrNotSent)
		require.Zero(t, s.Stats().Pending)
		require.Zero(t, s.Stats().Bundles)
	})
}

func TestABundleThatCannotBeEncodedIsNotBegun(t *testing.T) {
	p := &bundlePeer{}
	withBundles(t, p, func(t *testing.T, s *ofconn.Session) {
		for rule, bad := range map[error]ofconn.Message{
			ofgroup.ErrVersion:    groupMod(t, ports(1, 1), ofgroup.Add, ofgroup.OpenFlow13),
			ofgroup.ErrAction:     ofconn.FlowMod{Actions: actions(ofgroup.Output(0xff00))},
			ofconn.ErrNoMessage:   nil,
			ofconn.ErrTooLarge:    ofconn.PacketOut{Frame: make([]byte, 0xffff-40)},
			errNotMine:            failing{},
			ofgroup.ErrCommand:    ofconn.FlowMod{Command: 9},
			errors.ErrUnsupported: failing{errors.ErrUnsupported},
		} {
			err := s.Bundle(t.Context(), append(twoGroups(t), bad)...)
			var at *ofconn.BundleError
			require.ErrorAs(t, err, &at, rule)
			require.Equal(t, 2, at.Index, rule)
			require.ErrorIs(t, err, ofgroup.ErrNotSent, rule)
			require.ErrorIs(t, err, rule)
		}
		err := s.Bundle(t.Context(), ofconn.GroupMod{})
		require.ErrorIs(t, err, ofconn.ErrNoMessage)
		synctest.Wait()
		require.Empty(t, p.heard)
	})
}

var errNotMine = errors.New("not mine")

// failing is a message that cannot be encoded.
type failing struct{ err error }

func (f failing) AppendMessage([]byte, ofgroup.Version) ([]byte, error) {
	if f.err == nil {
		return nil, errNotMine
	}
	return nil, f.err
}

// A lone write error, a connection that ends: nothing was committed, and the caller
// is told so at once.
func TestAConnectionThatEndsWithinABundleIsTheBundlesError(t *testing.T) {
	for _, at := range []openflow.BundleStep{bundleOpen, bundleClose, bundleCommit} {
		p := &bundlePeer{}
		p.mute = func(c openflow.BundleControl) bool {
			if c.Step == at {
				p.conn.Close()
			}
			return c.Step == at
		}
		withBundles(t, p, func(t *testing.T, s *ofconn.Session) {
			err := s.Bundle(t.Context(), twoGroups(t)...)
			require.ErrorIs(t, err, ofgroup.ErrDisconnected)
			require.Equal(t, at != bundleCommit, isNotSent(err), "before the commit nothing can have been done")
			require.Zero(t, s.Stats().Pending)
			require.ErrorIs(t, s.Bundle(t.Context(), twoGroups(t)...), ofgroup.ErrNotSent)
		})
	}
}

// A write that ends in the middle of a bundle leaves it without its commit.
func TestAWriteThatFailsWithinABundleLeavesItUncommitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &bundlePeer{}
		var dial dialer
		p.peer, dial = newPeer(t)
		s := p.greeted(func(ctx context.Context) (net.Conn, error) {
			c, err := dial(ctx)
			return &shortConn{Conn: c, after: 100}, err
		}, ofconn.Config{})
		p.play(p.serve)
		err := s.Bundle(t.Context(), twoGroups(t)...)
		require.ErrorIs(t, err, net.ErrClosed)
		require.ErrorIs(t, err, ofgroup.ErrNotSent)
		synctest.Wait()
		steps, _ := p.steps(t)
		require.NotContains(t, steps, bundleCommit)
	})
}

// shortConn fails after so many bytes behind the hello.
type shortConn struct {
	net.Conn
	after int
	hello bool
}

func (c *shortConn) Write(b []byte) (int, error) {
	if !c.hello {
		c.hello = true
		return c.Conn.Write(b)
	}
	n, err := c.Conn.Write(b[:min(len(b), c.after)])
	if c.after -= n; err == nil && n < len(b) {
		err = net.ErrClosed
	}
	return n, err
}

func TestMoreBundlesThanMayBeUnderWayWaitTheirTurn(t *testing.T) {
	p := &bundlePeer{mute: func(c openflow.BundleControl) bool { return c.Step == bundleCommit && c.ID <= 8 }}
	withBundles(t, p, func(t *testing.T, s *ofconn.Session) {
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error)
		for range 8 {
			go func() { errs <- s.Bundle(ctx, twoGroups(t)...) }()
		}
		synctest.Wait()
		short, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		require.ErrorIs(t, s.Bundle(short, twoGroups(t)...), ofgroup.ErrNotSent)
		go func() { errs <- s.Bundle(t.Context(), twoGroups(t)...) }()
		synctest.Wait()
		_, bundles := p.steps(t)
		require.Equal(t, 8, bundles)
		cancel()
		failed := 0
		for range 9 {
			if err := <-errs; err != nil {
				failed++
			}
		}
		require.Equal(t, 8, failed)
	})
}

// The number of a bundle on one connection is not that of another on the next: what
// the switch still says of the old one is then about nothing.
func TestNumbersOfBundlesGoOnAcrossConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var peers []*bundlePeer
		conn := ofconn.New(ofconn.Config{NoFence: true, Dial: func(ctx context.Context) (net.Conn, error) {
			p := &bundlePeer{}
			var dial dialer
			p.peer, dial = newPeer(t)
			peers = append(peers, p)
			p.play(func() { p.greet(); p.serve() })
			return dial(ctx)
		}})
		running(t, conn)
		seen := map[uint32]bool{}
		for n := range 3 {
			require.NoError(t, conn.Bundle(t.Context(), twoGroups(t)...))
			id := peers[n].adds[0].ID
			require.False(t, seen[id])
			seen[id] = true
			old := live(t, conn)
			peers[n].conn.Close()
			again(t, conn, old)
		}
	})
}
