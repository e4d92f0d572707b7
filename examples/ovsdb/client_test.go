package ovsdb

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAddressesOfOtherKindsAreRefused(t *testing.T) {
	for _, address := range []string{"", "br0", "unix", "ssl:127.0.0.1:6640", "ptcp:6640", "udp:127.0.0.1:6640"} {
		_, err := Dial(t.Context(), address)
		var refused *net.AddrError
		if address == "unix" {
			require.Error(t, err) // no path
			continue
		}
		require.ErrorAs(t, err, &refused, address)
		require.Equal(t, address, refused.Addr)
	}
}

func TestDialSaysWhatTheNetworkSaid(t *testing.T) {
	_, err := Dial(t.Context(), "unix:"+t.TempDir()+"/none")
	require.ErrorIs(t, err, os.ErrNotExist)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Dial(ctx, "tcp:127.0.0.1:1")
	require.Error(t, err)
}

func TestTheServersEchoIsAnsweredWhileIdleAndDuringACall(t *testing.T) {
	withFake(t, func(t *testing.T, c *Client, s *fakeServer) {
		require.NoError(t, s.say(`{"id":"echo","method":"echo","params":[]}`))
		var got map[string]any
		require.NoError(t, s.in.Decode(&got))
		require.Equal(t, map[string]any{"id": "echo", "result": []any{}, "error": nil}, got)

		go c.Bridge(t.Context(), "br0")
		request := s.next()
		require.NoError(t, s.say(`{"method":"echo","params":["a",1],"id":7}`))
		require.JSONEq(t, `["a",1]`, string(s.next().Result))
		s.answer(request, noBridge)
	})
}

func TestNotificationsAreIgnored(t *testing.T) {
	withFake(t, func(t *testing.T, c *Client, s *fakeServer) {
		require.NoError(t, s.say(`{"id":null,"method":"update","params":[null,{}]}`))
		go s.answerAll(noBridge)
		_, err := c.Bridge(t.Context(), "br0")
		require.ErrorIs(t, err, ErrNoBridge)
	})
}

func TestAnswersFindTheirCallsInAnyOrder(t *testing.T) {
	withFake(t, func(t *testing.T, c *Client, s *fakeServer) {
		results := make(chan string, 2)
		for range 2 {
			go func() {
				text, err := c.call(t.Context(), "echo", []string{})
				assert.NoError(t, err)
				results <- string(text)
			}()
		}
		first, second := s.next(), s.next()
		s.answer(second, `"second"`)
		require.Equal(t, `"second"`, <-results)
		s.answer(first, `"first"`)
		require.Equal(t, `"first"`, <-results)
	})
}

func TestACallEndsWithItsContextAndItsLateAnswerIsIgnored(t *testing.T) {
	withFake(t, func(t *testing.T, c *Client, s *fakeServer) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		late := make(chan message, 1)
		go func() { late <- s.next() }()
		_, err := c.Bridge(ctx, "br0")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Minute, time.Since(began))

		s.answer(<-late, noBridge)
		go s.answerAll(noBridge)
		_, err = c.Bridge(t.Context(), "br0")
		require.ErrorIs(t, err, ErrNoBridge)
	})
}

func TestACallWithoutADeadlineEndsAfterTenSeconds(t *testing.T) {
	withFake(t, func(t *testing.T, c *Client, s *fakeServer) {
		go s.next()
		began := time.Now()
		_, err := c.SetSnooping(t.Context(), "br0", SnoopingState{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, ErrNotApplied)
		require.Equal(t, timeout, time.Since(began))
	})
}

func TestACancelledCallReturnsAtOnceThoughTheServerDoesNotRead(t *testing.T) {
	withFake(t, func(t *testing.T, c *Client, s *fakeServer) {
		for range 2 { // the first is being written, the second waits for the writer
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			began := time.Now()
			_, err := c.Bridge(ctx, "br0")
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, time.Second, time.Since(began))
		}
		s.next() // whole, although its call has ended
		go s.answerAll(noBridge)
		_, err := c.Bridge(t.Context(), "br0")
		require.ErrorIs(t, err, ErrNoBridge)
	})
}

func TestAServerThatDoesNotReadForTenSecondsIsLeft(t *testing.T) {
	withFake(t, func(t *testing.T, c *Client, _ *fakeServer) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		began := time.Now()
		_, err := c.Bridge(ctx, "br0")
		require.ErrorIs(t, err, ErrConnLost)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, timeout, time.Since(began))
	})
}

func TestCloseEndsCallsInFlightAndMayBeRepeated(t *testing.T) {
	withFake(t, func(t *testing.T, c *Client, s *fakeServer) {
		ended := make(chan error)
		go func() {
			_, err := c.Bridge(t.Context(), "br0")
			ended <- err
		}()
		s.next()
		synctest.Wait()
		require.NoError(t, c.Close())
		require.NoError(t, c.Close())
		require.ErrorIs(t, <-ended, net.ErrClosed)
		_, err := c.SetSnooping(t.Context(), "br0", SnoopingState{})
		require.ErrorIs(t, err, net.ErrClosed)
		require.ErrorIs(t, err, ErrConnLost)
	})
}

func TestCloseEndsAMessageThatTheServerDoesNotRead(t *testing.T) {
	withFake(t, func(t *testing.T, c *Client, s *fakeServer) {
		require.NoError(t, s.say(`{"id":1,"method":"echo","params":[]}{"id":2,"method":"echo","params":[]}`))
		synctest.Wait() // reader and writer are stuck in their answers
		began := time.Now()
		require.NoError(t, c.Close())
		require.Zero(t, time.Since(began))
	})
}

// lateConn takes a second to say that it is closed.
type lateConn struct{ net.Conn }

func (c lateConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil {
		time.Sleep(time.Second)
	}
	return n, err
}

func TestCloseReturnsWhenNothingRunsAnyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		c := NewClient(lateConn{ours})
		began := time.Now()
		require.NoError(t, c.Close())
		require.Equal(t, time.Second, time.Since(began))
	})
}

func TestALostConnectionStaysLost(t *testing.T) {
	withFake(t, func(t *testing.T, c *Client, s *fakeServer) {
		go func() {
			s.next()
			s.say(`{"id":1,"res`)
			s.conn.Close()
		}()
		_, err := c.Bridge(t.Context(), "br0")
		require.ErrorIs(t, err, ErrConnLost)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		_, again := c.Bridge(t.Context(), "br0")
		require.Equal(t, err, again)
	})
}

func TestRequestsAreJSONRPC(t *testing.T) {
	withFake(t, func(t *testing.T, c *Client, s *fakeServer) {
		go c.Bridge(t.Context(), `a"b`)
		var m struct {
			ID     int
			Method string
			Params []json.RawMessage
		}
		require.NoError(t, s.in.Decode(&m))
		require.Equal(t, "transact", m.Method)
		require.Len(t, m.Params, 4)
		require.JSONEq(t, `"Open_vSwitch"`, string(m.Params[0]))
		require.JSONEq(t, `{"op":"select","table":"Bridge","where":[["name","==","a\"b"]],"columns":["name","fail_mode",
			"protocols","datapath_type","mcast_snooping_enable","other_config","ports"]}`, string(m.Params[1]))
		s.say(`{"id":1,"result":` + noBridge + `,"error":null}`)
	})
}
