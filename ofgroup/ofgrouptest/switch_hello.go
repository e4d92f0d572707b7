package ofgrouptest

import (
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

const helloVersionBitmap = 1 // element type (section 7.5.1)

// switchHello is the switch's own HELLO: it speaks 1.5 alone and says so.
func switchHello() []byte {
	body := be.AppendUint16(nil, helloVersionBitmap)
	body = be.AppendUint16(body, 8)
	body = be.AppendUint32(body, 1<<openflow.Version15)
	return message(openflow.Version15, openflow.TypeHello, 0, body)
}

// greet takes the first message of a connection. One that is no HELLO ends it without
// a word; a HELLO without our version is told so first.
func (c *switchConn) greet(m []byte) bool {
	c.sw.mu.Lock()
	c.greeted = true
	c.sw.counts[m[1]]++
	c.sw.log.add(Logged{Type: MessageType(m[1]), Conn: c.number, Message: m})
	c.sw.mu.Unlock()
	if MessageType(m[1]) != MsgHello {
		return false
	}
	if offers(m, openflow.Version15) {
		return true
	}
	text := fmt.Sprintf("We support version 0x%02x, you support up to 0x%02x, no common versions.", openflow.Version15, m[0])
	body := append([]byte{0, 0, 0, 0}, text...) // OFPET_HELLO_FAILED, OFPHFC_INCOMPATIBLE
	version := min(m[0], openflow.Version15)
	c.enqueue(outgoing{bytes: message(version, openflow.TypeError, xidOf(m), body)})
	return false
}

// offers reports whether a HELLO includes a version: by its bitmap, if it has one,
// otherwise by its header, which then stands for all versions up to it.
func offers(hello []byte, version uint8) bool {
	b := hello[openflow.HeaderLen:]
	for len(b) >= 4 {
		n := int(be.Uint16(b[2:]))
		padded := (n + 7) &^ 7
		if n < 4 || n > len(b) {
			break
		}
		if be.Uint16(b) == helloVersionBitmap && n >= 8 {
			return be.Uint32(b[4:])&(1<<version) != 0
		}
		b = b[min(padded, len(b)):]
	}
	return hello[0] >= version
}
