package ofconn_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// newLab is a private switch with five ports.
func newLab(tb testing.TB) *ovslab.Lab {
	tb.Helper()
	return ovslab.New(tb, ovslab.Config{Ports: []string{"p1", "p2", "p3", "p4", "p5"}})
}

// rawClient speaks to a switch in messages, and knows nothing of them but their
// headers.
type rawClient struct {
	t       testing.TB
	version ofgroup.Version
	conn    net.Conn
	r       *bufio.Reader
}

// Message types that the tests look for.
const (
	typeError       = 1
	typePacketIn    = 10
	typeFlowRemoved = 11
	typePortStatus  = 12
	typeFlowMod     = 14

	typeMultipartReply = 19
	typeRoleReply      = 25
)

func dialRaw(t testing.TB, lab *ovslab.Lab, v ofgroup.Version) *rawClient {
	t.Helper()
	conn, err := lab.Dial(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	c := &rawClient{t, v, conn, bufio.NewReader(conn)}
	hello := append([]byte{byte(v), 0, 0, 16, 0, 0, 0, 1, 0, 1, 0, 8}, 0, 0, 0, 1<<v)
	_, err = conn.Write(hello)
	require.NoError(t, err)
	c.read()
	return c
}

func (c *rawClient) send(messages ...ofconn.Message) {
	c.t.Helper()
	for _, m := range messages {
		b, err := m.AppendMessage(nil, c.version)
		require.NoError(c.t, err)
		_, err = c.conn.Write(b)
		require.NoError(c.t, err)
	}
}

func (c *rawClient) read() []byte {
	c.t.Helper()
	msg := make([]byte, 8)
	_, err := io.ReadFull(c.r, msg)
	require.NoError(c.t, err)
	msg = append(msg, make([]byte, int(binary.BigEndian.Uint16(msg[2:]))-8)...)
	_, err = io.ReadFull(c.r, msg[8:])
	require.NoError(c.t, err)
	return msg
}

// await returns the next message of the type, and passes over echo requests and
// what else was sent before it; an error message ends the test.
func (c *rawClient) await(messageType byte) []byte {
	c.t.Helper()
	for {
		msg := c.read()
		if msg[1] == messageType {
			return msg
		}
		require.NoError(c.t, refusal(msg))
	}
}

// sync returns what the switch sent before it had done all it was asked for.
func (c *rawClient) sync() [][]byte {
	c.t.Helper()
	_, err := c.conn.Write([]byte{byte(c.version), typeBarrier, 0, 8, 0, 0, 0, 99})
	require.NoError(c.t, err)
	var before [][]byte
	for {
		msg := c.read()
		if msg[1] == typeBarrier+1 {
			return before
		}
		before = append(before, msg)
	}
}

// refusal is the error in an error message; nil for other messages.
func refusal(msg []byte) error {
	if msg[1] != typeError {
		return nil
	}
	e, err := ofgroup.ParseSwitchError(msg)
	if err != nil {
		return err
	}
	return e
}

// do sends messages and returns what the switch refused.
func (c *rawClient) do(messages ...ofconn.Message) error {
	c.t.Helper()
	c.send(messages...)
	var refused error
	for _, msg := range c.sync() {
		if err := refusal(msg); err != nil {
			refused = errors.Join(refused, fmt.Errorf("%w: %x", err, msg[12:]))
		}
	}
	return refused
}
