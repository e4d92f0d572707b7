package ofconn

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

func request() *call {
	msg := openflow.AppendHeader(nil, openflow.Header{Version: 6, Type: openflow.TypeGroupMod, Length: 8})
	return newCall(msg, openflow.TypeBarrierReply)
}

// enqueue leaves the writing to the write loop.
func enqueue(l *ledger, calls ...*call) error {
	due, err := l.enqueue(calls...)
	if due {
		l.nudge()
	}
	return err
}

func TestNumbersSkipZeroAndWhatIsWaitedFor(t *testing.T) {
	l := newLedger(ofgroup.OpenFlow15, 0xfffffffd)
	first, second, third := request(), request(), request()
	require.NoError(t, enqueue(l, first))
	l.take(nil) // its barrier takes the next number
	require.NoError(t, enqueue(l, second))
	require.NoError(t, enqueue(l, third))
	require.Equal(t, []uint32{0xfffffffe, 1, 2}, []uint32{first.xid, second.xid, third.xid})
	require.Equal(t, 0, l.barrierAt(0xffffffff))

	l.xid = 0xfffffffd // once around
	fourth := request()
	require.NoError(t, enqueue(l, fourth))
	require.EqualValues(t, 3, fourth.xid)
}

func TestABatchEndsWithOneBarrierForAllOfIt(t *testing.T) {
	l := newLedger(ofgroup.OpenFlow15, 0)
	for range 5 {
		require.NoError(t, enqueue(l, request()))
	}
	b := l.take(nil)
	require.Len(t, b.bytes, 6*openflow.HeaderLen)
	require.Equal(t, batch{bytes: b.bytes, messages: 5, barriers: 1}, b)
	require.EqualValues(t, openflow.TypeBarrierRequest, b.bytes[5*openflow.HeaderLen+1])
	require.Empty(t, l.take(nil).bytes)
}

func TestABatchIsBounded(t *testing.T) {
	l := newLedger(ofgroup.OpenFlow15, 0)
	const n = 3*maxBatch/openflow.HeaderLen - 10
	for range n {
		require.NoError(t, enqueue(l, request()))
	}
	sent := 0
	for b := l.take(nil); len(b.bytes) > 0; b = l.take(nil) {
		require.LessOrEqual(t, len(b.bytes), maxBatch+openflow.HeaderLen)
		sent += b.messages
		require.True(t, l.barrierReply(l.barriers[0].xid))
	}
	require.Equal(t, n, sent)
}

func TestWhatIsRefusedDoesNotHoldABarrierForEver(t *testing.T) {
	l := newLedger(ofgroup.OpenFlow15, 0)
	for range 2 * maxBarriers { // whose answers never come
		c := request()
		require.NoError(t, enqueue(l, c))
		require.Equal(t, 1, l.take(nil).barriers)
		matched, _ := l.refuse(&ofgroup.SwitchError{XID: c.xid})
		require.True(t, matched)
		<-c.done
	}
	require.LessOrEqual(t, len(l.barriers), maxBarriers)
	require.Empty(t, l.calls)
}

func TestAnAbandonedCallIsNotCoveredByTheNextBarrier(t *testing.T) {
	l := newLedger(ofgroup.OpenFlow15, 0)
	for range maxBarriers {
		require.NoError(t, enqueue(l, request()))
		l.overdue = true
		require.Equal(t, 1, l.take(nil).barriers)
	}
	leaves := request()
	require.NoError(t, enqueue(l, leaves))
	l.overdue = true
	b := l.take(nil)
	require.Equal(t, 1, b.messages)
	require.Zero(t, b.barriers, "there is no room")
	abandoned := l.abandon(leaves, io.EOF)
	require.True(t, abandoned)
	require.NotErrorIs(t, leaves.err, ofgroup.ErrNotSent)
	matched := l.barrierReply(l.barriers[0].xid)
	require.True(t, matched)
	require.Empty(t, l.take(nil).bytes)
}

func TestTheEndOfTheBooksFailsWhatIsInThemAndWhatComes(t *testing.T) {
	l := newLedger(ofgroup.OpenFlow15, 0)
	written, waiting := request(), request()
	require.NoError(t, enqueue(l, written))
	l.take(nil)
	require.NoError(t, enqueue(l, waiting))

	l.end(io.EOF)

	<-written.done
	<-waiting.done
	require.ErrorIs(t, written.err, io.EOF)
	require.NotErrorIs(t, written.err, ofgroup.ErrNotSent)
	require.ErrorIs(t, waiting.err, ofgroup.ErrNotSent)
	require.ErrorIs(t, enqueue(l, request()), io.EOF)
	require.False(t, l.enqueueEcho(openflow.TypeEchoReply, 1, nil))
	require.Empty(t, l.take(nil).bytes)
	abandoned := l.abandon(written, io.EOF)
	require.False(t, abandoned, "it has its answer")
}

func TestAnEndlessAnswerIsGivenUp(t *testing.T) {
	l := newLedger(ofgroup.OpenFlow15, 0)
	require.Equal(t, 64<<20, l.maxReply)
	l.maxReply = 100
	more := multipart{kind: openflow.MultipartGroupDesc, flags: openflow.MultipartMore, body: make([]byte, 50)}
	last := multipart{kind: more.kind, body: make([]byte, 50)}
	for _, parts := range [][]multipart{{more, last}, {more, more, last}, {more, more, more}} {
		c := newCall(appendGroupDescRequest(nil, ofgroup.OpenFlow15, 1), openflow.TypeMultipartReply)
		c.part = openflow.MultipartGroupDesc
		require.NoError(t, enqueue(l, c))
		l.take(nil)
		for _, p := range parts {
			require.True(t, l.multipartReply(c.xid, p))
		}
		<-c.done
		if len(parts) > 2 {
			require.ErrorIs(t, c.err, ErrReplyTooLarge)
			require.NotErrorIs(t, c.err, ofgroup.ErrNotSent)
			require.Empty(t, c.reply)
		} else {
			require.NoError(t, c.err)
			require.Len(t, c.reply, 100)
		}
		require.False(t, l.multipartReply(c.xid, last), "nobody waits any more")
	}
}

// numbered answers every barrier and reports numbers that are zero or that are
// used again before their answer.
func numbered(t *testing.T, conn net.Conn, writing *sync.Mutex) {
	inFlight := map[uint32]bool{}
	header := make([]byte, openflow.HeaderLen)
	answers := make(chan []byte, 10*maxBarriers)
	defer close(answers)
	go func() {
		for a := range answers {
			writing.Lock()
			delete(inFlight, binary.BigEndian.Uint32(a[4:]))
			writing.Unlock()
			_, _ = conn.Write(a)
		}
	}()
	for {
		if _, err := io.ReadFull(conn, header); err != nil {
			return
		}
		xid := binary.BigEndian.Uint32(header[4:])
		writing.Lock()
		if xid == 0 || inFlight[xid] {
			t.Errorf("number %#x", xid)
		}
		inFlight[xid] = true
		writing.Unlock()
		answers <- openflow.AppendHeader(nil, openflow.Header{
			Version: 6, Type: openflow.TypeBarrierReply, Length: openflow.HeaderLen, XID: xid,
		})
	}
}

func TestNumbersSurviveTheWrapUnderManyCallers(t *testing.T) {
	near, far := net.Pipe()
	s := newSession(near, ofgroup.OpenFlow15, Config{}.withDefaults(), newInbox(Events{}, nil))
	s.ledger.xid = 0xfffffffd
	s.start(newReader(near))
	var switchSide sync.WaitGroup
	switchSide.Go(func() { numbered(t, far, new(sync.Mutex)) })

	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for range 1000 {
				if err := s.Barrier(context.Background()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	callers.Wait()
	require.Zero(t, s.Stats().Pending)
	require.Less(t, s.ledger.xid, uint32(20_000), "it went around")
	require.NoError(t, s.Close())
	switchSide.Wait()
}

func TestARefusedBarrierIsNoRefusedPacketOut(t *testing.T) {
	l := newLedger(ofgroup.OpenFlow15, 0)
	c := newCall(make([]byte, 8), openflow.TypeBarrierReply)
	c.unattended = true
	require.NoError(t, enqueue(l, c))
	l.take(nil)
	l.appendBarrier(nil)

	matched, unattended := l.refuse(&ofgroup.SwitchError{XID: l.barriers[0].xid})

	require.True(t, matched)
	require.False(t, unattended)
}
