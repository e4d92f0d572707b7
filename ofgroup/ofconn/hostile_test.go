package ofconn_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// A peer that sends a byte now and then says nothing: the session is not kept by it.
func TestAMessageThatComesByteByByteDoesNotKeepTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, dial := newPeer(t)
		s := p.greeted(dial, ofconn.Config{})
		start := time.Now()
		p.play(func() {
			m := numbered(1, 1)
			for i := range m {
				p.write(m[i : i+1])
				time.Sleep(4 * time.Second)
			}
		})
		<-s.Done()
		require.ErrorIs(t, s.Err(), ofconn.ErrDeadPeer)
		require.LessOrEqual(t, time.Since(start), 16*time.Second)
	})
}

func TestAHelloThatComesByteByByteEndsTheAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, dial := newPeer(t)
		p.play(func() {
			for _, b := range unhex(switchHello15) {
				p.write([]byte{b})
				time.Sleep(3 * time.Second)
			}
		})
		start := time.Now()
		_, err := ofconn.Open(t.Context(), ofconn.Config{Dial: dial})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 10*time.Second, time.Since(start))
	})
}

// everyEvent are handlers for all there is to tell.
func everyEvent() ofconn.Events {
	e := everything()
	e.RoleStatus = func(ofconn.RoleStatus, time.Time) {}
	e.RequestForward = func(ofgroup.RequestForward, time.Time) {}
	e.ControllerID, e.Format = 0, 0
	e.Async, e.Config = nil, nil
	return e
}

// chatter has a switch talk, beside a session that listens to everything.
func chatter(t *testing.T, talk func(p *peer)) *ofconn.Session {
	p, dial := newPeer(t)
	opened, said := make(chan struct{}), make(chan struct{})
	p.play(func() {
		p.greet()
		for range 2 * 2 { // the settings, each with its barrier
			if m := p.recv(); m != nil && m[1] == typeBarrier {
				p.write(reply(typeBarrier+1, m))
			}
		}
		go func() { // our answers to its echoes
			for p.recv() != nil {
			}
		}()
		<-opened // a session that ends before is not opened
		talk(p)
		close(said)
	})
	s, err := ofconn.Open(t.Context(), ofconn.Config{Dial: dial, Events: everyEvent()})
	close(opened)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	<-said
	return s
}

// Whatever is in messages whose lengths are true, the session survives it, or ends with
// an error that says why.
func TestGarbageInMessagesDoesNoHarm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s := chatter(t, func(p *peer) {
		for range 5000 {
			m := make([]byte, 12+r.IntN(200))
			for i := range m {
				m[i] = byte(r.Uint32())
			}
			m[0] = []byte{4, 6, 6, 6}[r.IntN(4)]
			m[1] = byte(r.IntN(40))
			if m[1] == 1 {
				m[9] |= 1 // not about our hello, which would end the session
			}
			binary.BigEndian.PutUint16(m[2:], uint16(len(m)))
			p.write(m)
		}
	})
	require.NoError(t, s.Err())
	stats, events := s.Stats(), s.EventStats()
	require.NotZero(t, stats.Ignored)
	require.NotZero(t, stats.Unmatched)
	require.NotZero(t, events.Malformed)
	require.Zero(t, events.Panics)
}

func TestAStreamOfGarbageEndsTheSessionOnly(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := chatter(t, func(p *peer) {
			b := make([]byte, 100_000)
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			p.write(b)
			p.conn.Close()
		})
		<-s.Done()
		require.ErrorIs(t, s.Err(), ofgroup.ErrDisconnected)
		require.Zero(t, s.EventStats().Panics)
	}
}

// A flood of the largest messages there are leaves nothing behind.
func TestAFloodOfTheLargestMessagesIsNotKept(t *testing.T) {
	kinds := []byte{2, 3, 5, 19, 21, 33, 99} // echoes, what nobody asked for, what there is not
	s := chatter(t, func(p *peer) {
		m := make([]byte, 0xffff)
		for n := range 2000 {
			m[0], m[1], m[2], m[3] = 6, kinds[n%len(kinds)], 0xff, 0xff
			binary.BigEndian.PutUint32(m[4:], uint32(1_000_000+n))
			p.write(m)
		}
	})
	require.NoError(t, s.Err())
	var after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, after.HeapAlloc, uint64(64<<20), "of 125 MiB")
}

// endless answers each multipart request by parts of a size, without an end.
func endless(p *peer, size int) {
	p.greet()
	for m := p.recv(); m != nil; m = p.recv() {
		if m[1] != 18 {
			continue
		}
		part := reply(typeMultipartReply, m, append([]byte{m[8], m[9], 0, 1, 0, 0, 0, 0}, make([]byte, size)...)...)
		for {
			if _, err := p.conn.Write(part); err != nil {
				return
			}
			if size == 0 {
				time.Sleep(time.Millisecond)
			}
		}
	}
}

func TestAnAnswerWithoutAnEndIsGivenUp(t *testing.T) {
	for size, want := range map[int]error{0: context.DeadlineExceeded, 8: context.DeadlineExceeded, 60_000: ofconn.ErrReplyTooLarge} {
		p, dial := newPeer(t)
		p.play(func() { endless(p, size) })
		s, err := ofconn.Open(t.Context(), ofconn.Config{Dial: dial, MaxReply: 10 << 20})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		if want == ofconn.ErrReplyTooLarge {
			ctx = t.Context()
		}
		_, err = s.PortStats(ctx, ofgroup.PortAny)
		cancel()
		if size == 8 { // it may also have been quick
			require.Error(t, err)
		} else {
			require.ErrorIs(t, err, want)
		}
		require.NoError(t, s.Err())
		require.Zero(t, s.Stats().Pending)
		require.NoError(t, s.Close())
	}
}

// The bound is for all answers that are under way, not for each.
func TestUnfinishedAnswersShareTheirBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, dial := newPeer(t)
		s := p.greeted(dial, ofconn.Config{MaxReply: 100_000})
		errs := make(chan error)
		const calls = 5
		for range calls {
			go func() { _, err := s.PortStats(t.Context(), ofgroup.PortAny); errs <- err }()
		}
		var asked [][]byte
		for range calls {
			asked = append(asked, p.recv())
		}
		part := func(m []byte, more byte, size int) {
			p.write(reply(typeMultipartReply, m, append([]byte{m[8], m[9], 0, more, 0, 0, 0, 0}, make([]byte, size)...)...))
		}
		part(asked[0], 1, 60_000)
		part(asked[1], 1, 60_000)
		require.ErrorIs(t, <-errs, ofconn.ErrReplyTooLarge)
		part(asked[2], 1, 40_000)
		part(asked[3], 0, 80)
		require.ErrorIs(t, <-errs, ofconn.ErrReplyTooLarge)
		part(asked[0], 0, 0) // its end makes room for others
		require.ErrorIs(t, <-errs, ofgroup.ErrMalformed, "zeros are no statistics")
		part(asked[4], 1, 50_000)
		synctest.Wait()
		require.Empty(t, errs)
		require.NoError(t, s.Close())
		for range 2 {
			require.ErrorIs(t, <-errs, ofgroup.ErrDisconnected)
		}
	})
}
