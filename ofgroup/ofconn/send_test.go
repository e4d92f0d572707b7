package ofconn_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// emptyInsert is the INSERT_BUCKET that hangs Open vSwitch for good.
const emptyInsert = "060f0018000000020003000000000064" + "00000000fffffffe"

func TestWhatCannotBeEncodedFailsAtOnceAndNothingIsWritten(t *testing.T) {
	withSwitch(t, ofconn.Config{}, func(t *testing.T, sw *ofgrouptest.Switch, s *ofconn.Session) {
		var hangs ofgroup.Mod
		require.NoError(t, hangs.UnmarshalBinary(unhex(emptyInsert)))
		_, err := s.Send(t.Context(), &hangs)
		require.ErrorIs(t, err, ofgroup.ErrEmptyInsert)
		require.ErrorIs(t, err, ofgroup.ErrNotSent)

		_, err = s.Send(t.Context(), new(ofgroup.Mod))
		require.ErrorIs(t, err, ofgroup.ErrVersion)
		require.ErrorIs(t, err, ofgroup.ErrNotSent)

		old, err := ports(1, 1).Mod(ofgroup.Add, ofgroup.OpenFlow13)
		require.NoError(t, err)
		_, err = s.Send(t.Context(), old)
		require.ErrorIs(t, err, ofgroup.ErrVersion)
		require.ErrorIs(t, err, ofgroup.ErrNotSent)

		require.Zero(t, s.Stats().Writes)
		require.NoError(t, commit(t, s, 1), "the next call works")
		require.Equal(t, 1, sw.GroupMods())
	})
}

// shortWriter takes half of every write after the first, which is the hello.
type shortWriter struct {
	net.Conn
	mu    sync.Mutex
	hello bool
}

var errShort = errors.New("half of it")

func (w *shortWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.hello {
		w.hello = true
		return w.Conn.Write(b)
	}
	n, _ := w.Conn.Write(b[:len(b)/2])
	return n, errShort
}

func TestAShortWriteEndsTheSession(t *testing.T) {
	sw := ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
	defer sw.Close()
	s := open(t, func(ctx context.Context) (net.Conn, error) {
		conn, err := sw.Dial(ctx)
		return &shortWriter{Conn: conn}, err
	})

	err := commit(t, s, 1)

	require.ErrorIs(t, err, errShort)
	require.ErrorIs(t, err, ofgroup.ErrDisconnected)
	require.NotErrorIs(t, err, ofgroup.ErrNotSent)
	<-s.Done()
	require.ErrorIs(t, commit(t, s, 2), ofgroup.ErrNotSent)
}

func TestBarrierWaitsForWhatWasSentBefore(t *testing.T) {
	withSwitch(t, ofconn.Config{}, func(t *testing.T, sw *ofgrouptest.Switch, s *ofconn.Session) {
		require.NoError(t, s.Barrier(t.Context()), "nothing to wait for")
		require.Equal(t, 1, sw.Count(ofgrouptest.MsgBarrierRequest))
		require.Zero(t, s.Stats().Sent)
	})
}

func TestTheReceiptHasTheNumberOnTheWire(t *testing.T) {
	withSwitch(t, ofconn.Config{}, func(t *testing.T, sw *ofgrouptest.Switch, s *ofconn.Session) {
		receipt, err := ports(1, 1).Commit(t.Context(), s)
		require.NoError(t, err)
		var sent ofgroup.Mod
		require.NoError(t, sent.UnmarshalBinary(sw.GroupModLog()[0].Message))
		require.Equal(t, sent.XID(), receipt.XID)
		require.NotZero(t, receipt.XID)
	})
}

func TestOneModMaySendManyTimesAtOnce(t *testing.T) {
	sw := ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
	defer sw.Close()
	s := open(t, sw.Dial)
	m, err := ports(1, 1).Mod(ofgroup.AddOrMod, s.Version())
	require.NoError(t, err)
	var all sync.WaitGroup
	var xids sync.Map
	for range 8 {
		all.Go(func() {
			for range 50 {
				receipt, err := s.Send(t.Context(), m)
				if _, again := xids.LoadOrStore(receipt.XID, true); again || err != nil {
					t.Errorf("number %d: %v", receipt.XID, err)
				}
			}
		})
	}
	all.Wait()
	require.Equal(t, 400, sw.GroupMods())
	require.Zero(t, m.XID(), "the message itself is untouched")
}

// slowReader is a connection whose Read notices the end a second late.
type slowReader struct{ net.Conn }

func (r slowReader) Read(b []byte) (int, error) {
	n, err := r.Conn.Read(b)
	if err != nil {
		time.Sleep(time.Second) // of the bubble's clock
	}
	return n, err
}

func TestCloseReturnsAfterTheEndOfAllThatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, dial := newPeer(t)
		s := p.greeted(func(ctx context.Context) (net.Conn, error) {
			conn, err := dial(ctx)
			return slowReader{conn}, err
		}, ofconn.Config{})
		start := time.Now()
		require.NoError(t, s.Close())
		require.Equal(t, time.Second, time.Since(start))
	})
}

func TestCloseFailsPendingCallsAndWaitsForEverythingToEnd(t *testing.T) {
	sw := ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
	defer sw.Close()
	sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgBarrierRequest, Times: always, Mute: true})
	s, err := ofconn.Open(t.Context(), ofconn.Config{Dial: sw.Dial})
	require.NoError(t, err)
	require.NoError(t, s.Err())
	errs := make(chan error, 20)
	for range cap(errs) {
		go func() { errs <- commit(t, s, 1) }()
	}
	var closers sync.WaitGroup
	for range 4 {
		closers.Go(func() { _ = s.Close() })
	}
	closers.Wait()
	for range cap(errs) {
		err := <-errs
		require.ErrorIs(t, err, ofconn.ErrClosed)
		require.ErrorIs(t, err, ofgroup.ErrDisconnected)
	}
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.Err(), ofconn.ErrClosed)
	require.ErrorIs(t, s.Barrier(t.Context()), ofgroup.ErrNotSent)
}

func TestNoMessageIsAnErrorAndNoPanic(t *testing.T) {
	p, dial := newPeer(t)
	s := p.greeted(dial, ofconn.Config{})
	_, err := s.Send(t.Context(), nil)
	require.ErrorIs(t, err, ofconn.ErrNoMessage)
	require.ErrorIs(t, err, ofgroup.ErrNotSent)
	_, err = s.SendMessage(t.Context(), nil)
	require.ErrorIs(t, err, ofconn.ErrNoMessage)
	require.ErrorIs(t, err, ofgroup.ErrNotSent)
	require.Zero(t, s.Stats().Sent)
}
