package ofconn_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/hex"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// peer is a switch's end of a connection, played by hand. It works inside a
// synctest bubble.
type peer struct {
	t    testing.TB
	conn net.Conn
	r    *bufio.Reader
}

// Hellos as Open vSwitch and ovs-ofctl sent them.
const (
	switchHello15      = "06000010000000370001000800000040"
	switchHello10And13 = "04000010000000410001000800000012"
	switchHelloUpTo15  = "060000080000001b"
	ofctlHello15       = "06000010000000010001000800000040"
	ofctlHello13And15  = "06000010000000010001000800000050"
)

// newPeer returns a peer and what connects to it.
func newPeer(t testing.TB) (*peer, dialer) {
	near, far := net.Pipe()
	t.Cleanup(func() { far.Close() })
	return &peer{t: t, conn: far, r: bufio.NewReader(far)},
		func(context.Context) (net.Conn, error) { return near, nil }
}

// play runs f, the switch's side of what happens, beside the test, and ends the
// connection and it with the test.
func (p *peer) play(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	p.t.Cleanup(func() {
		p.conn.Close()
		<-done
	})
}

// send writes bytes given in hex.
func (p *peer) send(text string) { p.write(unhex(text)) }

// write writes, or fails because the connection ended, which others notice.
func (p *peer) write(b []byte) { _, _ = p.conn.Write(b) }

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// recv returns the next message, or nil at the end of the connection.
func (p *peer) recv() []byte {
	m := make([]byte, 8)
	if _, err := io.ReadFull(p.r, m); err != nil {
		return nil
	}
	m = append(m, make([]byte, int(binary.BigEndian.Uint16(m[2:]))-8)...)
	if _, err := io.ReadFull(p.r, m[8:]); err != nil {
		return nil
	}
	return m
}

// greet plays the hello of a switch that speaks 1.5 alone.
func (p *peer) greet() {
	p.send(switchHello15)
	p.recv()
}

// greeted returns a session to the peer, which has said hello and no more.
func (p *peer) greeted(dial dialer, cfg ofconn.Config) *ofconn.Session {
	p.t.Helper()
	hello := make(chan struct{})
	go func() {
		defer close(hello)
		p.greet()
	}()
	cfg.Dial = dial
	s, err := ofconn.Open(p.t.Context(), cfg)
	require.NoError(p.t, err)
	<-hello
	p.t.Cleanup(func() { require.NoError(p.t, s.Close()) })
	return s
}

// reply makes a message of version 1.5 under the number of a request. Without
// a request, for the connection ended, it does not matter what it makes.
func reply(messageType uint8, request []byte, body ...byte) []byte {
	if request == nil {
		request = make([]byte, 8)
	}
	m := binary.BigEndian.AppendUint16([]byte{6, messageType}, uint16(8+len(body)))
	return append(append(m, request[4:8]...), body...)
}
