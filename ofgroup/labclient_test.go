package ofgroup_test

import (
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	. "github.com/ofmcast/ofmcast/ofgroup"
)

// labClient sends single messages to a real switch and hears what it makes of each.
type labClient struct {
	tb      testing.TB
	conn    net.Conn
	version Version
}

func newLabClient(tb testing.TB, lab *ovslab.Lab, v Version) *labClient {
	tb.Helper()
	conn, err := lab.Dial(tb.Context())
	require.NoError(tb, err)
	tb.Cleanup(func() { conn.Close() })
	require.NoError(tb, conn.SetDeadline(time.Now().Add(time.Minute)))
	c := &labClient{tb, conn, v}
	c.write([]byte{byte(v), 0, 0, 16, 0, 0, 0, 1, 0, 1, 0, 8, 0, 0, 0, 1 << v})
	c.read()
	return c
}

func (c *labClient) write(b []byte) {
	c.tb.Helper()
	_, err := c.conn.Write(b)
	require.NoError(c.tb, err)
}

func (c *labClient) read() []byte {
	c.tb.Helper()
	msg := make([]byte, 8)
	_, err := io.ReadFull(c.conn, msg)
	require.NoError(c.tb, err)
	msg = append(msg, make([]byte, int(binary.BigEndian.Uint16(msg[2:]))-8)...)
	_, err = io.ReadFull(c.conn, msg[8:])
	require.NoError(c.tb, err)
	return msg
}

// verdict sends a message to a switch without groups: nil, or the refusal.
func (c *labClient) verdict(m *Mod) *SwitchError {
	c.tb.Helper()
	return c.verdictOf(marshal(c.tb, m))
}

func (c *labClient) verdictOf(message []byte) *SwitchError {
	c.tb.Helper()
	b := append(marshal(c.tb, DeleteAll(c.version)), message...)
	c.write(append(b, byte(c.version), 20, 0, 8, 0, 0, 0, 9))
	var refused *SwitchError
	for {
		switch msg := c.read(); msg[1] {
		case 1:
			e, err := ParseSwitchError(msg)
			require.NoError(c.tb, err)
			refused = e
		case 21:
			return refused
		}
	}
}
