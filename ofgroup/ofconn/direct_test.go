//go:build unix

package ofconn

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// socketPair is both ends of a connection over a Unix socket.
func socketPair(t *testing.T) (near, far net.Conn) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	require.NoError(t, err)
	defer l.Close()
	near, err = net.Dial("unix", l.Addr().String())
	require.NoError(t, err)
	far, err = l.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { near.Close(); far.Close() })
	return near, far
}

func TestOnlyASocketItselfIsWrittenToDirectly(t *testing.T) {
	near, _ := socketPair(t)
	pipe, _ := net.Pipe()
	require.NotNil(t, newDirect(near))
	require.Nil(t, newDirect(struct{ net.Conn }{near}), "its Write would be passed by")
	require.Nil(t, newDirect(struct{ *net.UnixConn }{near.(*net.UnixConn)}), "also where it could be had")
	require.Nil(t, newDirect(pipe))
}

func TestADirectWriteTakesWhatFitsAndNeverWaits(t *testing.T) {
	near, far := socketPair(t)
	d := newDirect(near)
	require.Zero(t, d.write(nil))
	sent := 0
	for full := false; !full; {
		n := d.write(make([]byte, 1<<16))
		sent += n
		full = n == 0
	}
	require.NotZero(t, sent)
	_, err := io.CopyN(io.Discard, far, int64(sent))
	require.NoError(t, err)
	require.Equal(t, 3, d.write([]byte("abc")))
	far.Close()
	require.Zero(t, d.write([]byte("abc")))
	near.Close()
	require.Zero(t, d.write([]byte("abc")))
}

func TestADirectWriteAllocatesNothing(t *testing.T) {
	near, far := socketPair(t)
	go func() { _, _ = io.Copy(io.Discard, far) }()
	d, b := newDirect(near), []byte("abc")
	require.Zero(t, testing.AllocsPerRun(100, func() { d.write(b) }))
}

// A caller whose message the socket does not take, for the switch does not read, ends with his
// own context; and what he began to write is written to its end once the switch reads.
func TestACallerIsNotHeldUpByAFullSocket(t *testing.T) {
	near, far := socketPair(t)
	s := newSession(near, ofgroup.OpenFlow15, Config{}.withDefaults(), newInbox(Events{}, nil))
	s.start(newReader(near))
	defer s.Close()
	big := make([]byte, openflow.MaxLen)
	openflow.AppendHeader(big[:0], openflow.Header{Version: 6, Type: openflow.TypeGroupMod, Length: openflow.MaxLen})
	const calls = 32 // more than a socket holds
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	for range calls {
		c := newCall(append([]byte(nil), big...), openflow.TypeBarrierReply)
		require.True(t, errors.Is(s.do(ctx, c), context.DeadlineExceeded))
	}
	require.NoError(t, s.Err())

	go answerBarriers(far)
	require.NoError(t, s.Barrier(t.Context()))
}

// answerBarriers reads whole messages, as long as there are any, and answers the barriers.
func answerBarriers(conn net.Conn) {
	r := newReader(conn)
	for {
		h, msg, err := nextMessage(r)
		if err != nil {
			return
		}
		if h.Type == openflow.TypeBarrierRequest {
			_, _ = conn.Write(openflow.AppendHeader(nil, openflow.Header{
				Version: 6, Type: openflow.TypeBarrierReply, Length: openflow.HeaderLen, XID: h.XID,
			}))
		}
		_, _ = r.Discard(len(msg))
	}
}
