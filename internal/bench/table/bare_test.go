package table

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// OpenFlow 1.5: a hello that offers nothing else, and a barrier request.
var (
	hello          = []byte{6, 0, 0, 16, 0, 0, 0, 1, 0, 1, 0, 8, 0, 0, 0, 1 << 6}
	barrierRequest = []byte{6, 20, 0, 8, 0, 0, 0, 9}
)

const (
	typeError        = 1
	typeBarrierReply = 21
	headerLen        = 8
)

// bare is a connection without a library: the least that a client has to do.
type bare struct {
	conn net.Conn
	w    *bufio.Writer
	r    *bufio.Reader
}

func newBare(tb testing.TB, lab *ovslab.Lab) *bare {
	tb.Helper()
	conn, err := lab.Dial(tb.Context())
	require.NoError(tb, err)
	tb.Cleanup(func() { conn.Close() })
	_, err = conn.Write(hello)
	require.NoError(tb, err)
	return &bare{conn: conn, w: bufio.NewWriterSize(conn, 64<<10), r: bufio.NewReader(conn)}
}

// all writes messages as fast as the switch takes them, and returns when it is through.
func (c *bare) all(messages [][]byte) error {
	for _, m := range messages {
		if _, err := c.w.Write(m); err != nil {
			return err
		}
	}
	if _, err := c.w.Write(barrierRequest); err != nil {
		return err
	}
	if err := c.w.Flush(); err != nil {
		return err
	}
	return c.awaitBarrier()
}

// each writes a message with its barrier, and waits for that, one after the other.
func (c *bare) each(withBarriers [][]byte) error {
	for _, m := range withBarriers {
		if _, err := c.conn.Write(m); err != nil {
			return err
		}
		if err := c.awaitBarrier(); err != nil {
			return err
		}
	}
	return nil
}

// awaitBarrier reads until a barrier is answered. A refusal is an error.
func (c *bare) awaitBarrier() error {
	var header [headerLen]byte
	for header[1] != typeBarrierReply {
		if _, err := io.ReadFull(c.r, header[:]); err != nil {
			return err
		}
		if header[1] == typeError {
			return fmt.Errorf("the switch refused a message: % x", header)
		}
		if _, err := c.r.Discard(int(binary.BigEndian.Uint16(header[2:])) - headerLen); err != nil {
			return err
		}
	}
	return nil
}

// prepared are the messages that do cmd with the groups.
func prepared(tb testing.TB, groups []ofgroup.Group, cmd ofgroup.Command) [][]byte {
	tb.Helper()
	messages := make([][]byte, len(groups))
	for i, g := range groups {
		m, err := g.Mod(cmd, ofgroup.OpenFlow15)
		require.NoError(tb, err)
		messages[i], err = m.MarshalBinary()
		require.NoError(tb, err)
	}
	return messages
}

// withBarriers are the messages with a barrier request behind each.
func withBarriers(messages [][]byte) [][]byte {
	all := make([][]byte, len(messages))
	for i, m := range messages {
		all[i] = append(append([]byte(nil), m...), barrierRequest...)
	}
	return all
}
