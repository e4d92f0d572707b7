package ofgrouptest

import (
	"bytes"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// client is a controller that knows no more than the header: it sends whole messages
// and reads whole messages, so what it finds is the switch's own doing.
type client struct {
	tb  testing.TB
	nc  net.Conn
	xid uint32

	flows func() []Flow // of a switch that can be asked without the wire
}

func newSwitch(tb testing.TB) *Switch {
	tb.Helper()
	sw := NewSwitch(SwitchConfig{})
	tb.Cleanup(func() { require.NoError(tb, sw.Close()) })
	return sw
}

// dial connects and has the hellos behind it.
func dial(tb testing.TB, sw *Switch) *client {
	tb.Helper()
	nc, err := sw.Dial(tb.Context())
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = nc.Close() })
	c := &client{tb: tb, nc: nc, xid: 100}
	require.Equal(tb, switchHello(), c.receive())
	c.send(switchHello())
	return c
}

func (c *client) send(m []byte) {
	c.tb.Helper()
	_, err := c.nc.Write(m)
	require.NoError(c.tb, err)
}

func (c *client) receive() []byte {
	c.tb.Helper()
	m, err := readMessage(c.nc)
	require.NoError(c.tb, err)
	return m
}

// do sends a request under a transaction ID of its own, a barrier after it, and
// returns what came before the barrier's reply.
func (c *client) do(request []byte) [][]byte {
	c.tb.Helper()
	request = bytes.Clone(request)
	c.xid++
	openflow.PutXID(request, c.xid)
	c.send(append(request, barrier(0xb000)...))
	var replies [][]byte
	for {
		m := c.receive()
		if m[1] == openflow.TypeBarrierReply {
			return replies
		}
		require.Equal(c.tb, c.xid, xidOf(m), "a reply carries its request's transaction ID")
		replies = append(replies, m)
	}
}

// verdict sends a GROUP_MOD and returns the error it drew, or nil.
func (c *client) verdict(request []byte) *Refusal {
	c.tb.Helper()
	replies := c.do(request)
	if len(replies) == 0 {
		return nil
	}
	require.Len(c.tb, replies, 1)
	require.EqualValues(c.tb, openflow.TypeError, replies[0][1])
	return &Refusal{Type: be.Uint16(replies[0][8:]), Code: be.Uint16(replies[0][10:])}
}

// describe asks for the description of one group or of all and joins the parts.
func (c *client) describe(id uint32) []byte {
	c.tb.Helper()
	var body []byte
	for _, m := range c.do(descRequest(id)) {
		require.EqualValues(c.tb, openflow.TypeMultipartReply, m[1])
		body = append(body, m[openflow.MultipartHeaderLen:]...)
	}
	return body
}

func barrier(xid uint32) []byte {
	return message(openflow.Version15, openflow.TypeBarrierRequest, xid, nil)
}

func descRequest(id uint32) []byte {
	body := []byte{0, openflow.MultipartGroupDesc, 0, 0, 0, 0, 0, 0}
	body = be.AppendUint32(body, id)
	return message(openflow.Version15, openflow.TypeMultipartRequest, 0, append(body, 0, 0, 0, 0))
}

func deleteAll() []byte { return groupModMessage(cmdDelete, typeAll, allGroups) }

// groupModMessage is a GROUP_MOD with one bucket for each port given.
func groupModMessage(command uint16, kind uint8, id uint32, ports ...uint32) []byte {
	var buckets []byte
	for i, p := range ports {
		b := bucket{id: uint32(i), watchPort: anyWatch, watchGroup: anyWatch}
		b.actions = be.AppendUint32([]byte{0, 0, 0, 16}, p)
		b.actions = append(b.actions, make([]byte, 8)...)
		buckets = b.describe(buckets, kind)
	}
	body := be.AppendUint16(nil, command)
	body = append(body, kind, 0)
	body = be.AppendUint32(body, id)
	body = be.AppendUint16(body, uint16(len(buckets)))
	body = append(body, 0, 0)
	body = be.AppendUint32(body, bucketAll)
	return message(openflow.Version15, openflow.TypeGroupMod, 1, append(body, buckets...))
}
