package ofconn_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"net"
	"sync"
	"testing"

	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// Types of messages that a front answers itself, beside those of other tests.
const (
	typeExperimenter = 4
	typeSetConfig    = 9
	typePacketOut    = 13
	typeRoleRequest  = 24
	typeSetAsync     = 28
	typeMeterMod     = 29
)

// front is an in-process switch that also knows roles and takes every message
// that is not about groups without looking at it. It works inside a synctest
// bubble.
type front struct {
	*ofgrouptest.Switch

	mu         sync.Mutex
	generation uint64
	conns      []*frontConn
	stubborn   int // how many role requests for master are refused as stale

	// refuse gives the error type and code with which a message is refused.
	refuse func(m []byte) (code [4]byte, ok bool)
	// refuseDial, if set, is called first for every Dial.
	refuseDial func() error
}

// frontConn is one connection, open or not any more.
type frontConn struct {
	writing sync.Mutex
	client  net.Conn
	mu      sync.Mutex
	heard   [][]byte // whole messages, echoes left out
}

func newFront(t testing.TB) *front {
	f := &front{Switch: ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{}), generation: ^uint64(0)}
	t.Cleanup(func() { f.Close() })
	return f
}

// Dial is a new connection to the front.
func (f *front) Dial(ctx context.Context) (net.Conn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refuseDial != nil {
		if err := f.refuseDial(); err != nil {
			return nil, err
		}
	}
	inner, err := f.Switch.Dial(ctx)
	if err != nil {
		return nil, err
	}
	near, far := net.Pipe()
	c := &frontConn{client: far}
	f.conns = append(f.conns, c)
	go c.fromSwitch(inner)
	go f.toSwitch(c, inner)
	return near, nil
}

// conn is the n-th connection there was.
func (f *front) conn(n int) *frontConn {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.conns[n]
}

// dials is how many connections there were.
func (f *front) dials() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.conns)
}

func (c *frontConn) write(m []byte) {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, _ = c.client.Write(m)
}

// tell writes messages given in hex to the client.
func (c *frontConn) tell(messages ...string) {
	for _, m := range messages {
		c.write(unhex(m))
	}
}

// messages are those the client sent, without echoes, and without barriers if
// they are of no interest.
func (c *frontConn) messages(withoutBarriers bool) [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all [][]byte
	for _, m := range c.heard {
		if !withoutBarriers || m[1] != typeBarrier {
			all = append(all, m)
		}
	}
	return all
}

// fromSwitch passes on what the inner switch says.
func (c *frontConn) fromSwitch(inner net.Conn) {
	defer c.client.Close()
	defer inner.Close()
	p := peer{r: bufio.NewReader(inner)}
	for m := p.recv(); m != nil; m = p.recv() {
		c.write(m)
	}
}

// toSwitch takes what the client says, and passes on what is about groups.
func (f *front) toSwitch(c *frontConn, inner net.Conn) {
	defer c.client.Close()
	defer inner.Close()
	p := peer{r: bufio.NewReader(c.client)}
	for m := p.recv(); m != nil; m = p.recv() {
		if m[1] != 2 && m[1] != 3 {
			c.mu.Lock()
			c.heard = append(c.heard, bytes.Clone(m))
			c.mu.Unlock()
		}
		f.mu.Lock()
		answer, mine := f.answer(m)
		f.mu.Unlock()
		if answer != nil {
			c.write(answer)
		}
		if !mine {
			if _, err := inner.Write(m); err != nil {
				return
			}
		}
	}
}

// answer obeys a message that the inner switch does not know. The caller holds
// the lock.
func (f *front) answer(m []byte) (answer []byte, mine bool) {
	if f.refuse != nil {
		if code, refused := f.refuse(m); refused {
			return reply(1, m, append(code[:], m...)...), true
		}
	}
	switch m[1] {
	case typeRoleRequest:
		return f.role(m), true
	case typeSetConfig, typeSetAsync, typeExperimenter, typePacketOut, typeFlowMod, typeMeterMod:
		return nil, true
	}
	return nil, false
}

func (f *front) role(m []byte) []byte {
	role, generation := binary.BigEndian.Uint32(m[8:]), binary.BigEndian.Uint64(m[16:])
	if role != 0 {
		if f.stubborn > 0 || f.generation != ^uint64(0) && int64(generation-f.generation) < 0 {
			f.stubborn--
			return reply(1, m, append([]byte{0, 11, 0, 0}, m...)...)
		}
		f.generation = generation
	}
	body := binary.BigEndian.AppendUint64([]byte{0, 0, 0, 2, 0, 0, 0, 0}, f.generation)
	return reply(typeRoleReply, m, body...)
}

// text is messages in hex, to be compared, with transaction IDs set to nothing.
func text(messages [][]byte) []string {
	var all []string
	for _, m := range messages {
		m = bytes.Clone(m)
		copy(m[4:8], "\x00\x00\x00\x00")
		all = append(all, hex.EncodeToString(m))
	}
	return all
}

// only is what the client sent of one type.
func only(c *frontConn, messageType uint8) [][]byte {
	var all [][]byte
	for _, m := range c.messages(false) {
		if m[1] == messageType {
			all = append(all, m)
		}
	}
	return all
}

// outOfGroups is OFPGMFC_OUT_OF_GROUPS.
var outOfGroups = ofgrouptest.Refusal{Type: 6, Code: 3}
