package ofgroup

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// A dec_ttl that names controllers has their number, four bytes of padding, their IDs,
// and padding.
const (
	offDecTTLCount = 10
	offDecTTLPad   = 12
	offDecTTLIDs   = 16
	maxDecTTLIDs   = 1024
)

// DecTTL takes one off the TTL, or off the hop limit of IPv6. A packet whose TTL is 0 or 1
// goes no further: it goes to the controllers that are named by their ID, or, where none
// is named, to those of ID 0, as a packet-in. At most 1024 can be named.
//
// Named controllers are Open vSwitch's own action; so is DecTTL(0), which does what
// DecTTL() does.
func DecTTL(controllers ...uint16) Action {
	if len(controllers) == 0 {
		return shortAction0(openflow.ActionDecTTL)
	}
	if len(controllers) > maxDecTTLIDs {
		return badAction(ErrAction, "dec_ttl with %d controllers", len(controllers))
	}
	b := make([]byte, align(offDecTTLIDs+2*len(controllers)))
	putNiciraHeader(b, openflow.NiciraDecTTLTo)
	binary.BigEndian.PutUint16(b[offDecTTLCount:], uint16(len(controllers)))
	for i, id := range controllers {
		binary.BigEndian.PutUint16(b[offDecTTLIDs+2*i:], id)
	}
	return actionOf(b)
}

// SetTTL sets the TTL, or the hop limit of IPv6: OpenFlow's own action for what
// Set(IPTTL, ttl) does.
func SetTTL(ttl uint8) Action { return shortAction8(openflow.ActionSetTTL, ttl) }

func decTTLText(a string) (string, bool) {
	if len(a) < offDecTTLIDs {
		return "", false
	}
	n := int(be16(a[offDecTTLCount:]))
	end := offDecTTLIDs + 2*n
	if n == 0 || align(end) != len(a) || !zeros(a[offDecTTLPad:offDecTTLIDs]) || !zeros(a[end:]) {
		return "", false
	}
	ids := make([]string, n)
	for i := range ids {
		ids[i] = strconv.Itoa(int(be16(a[offDecTTLIDs+2*i:])))
	}
	return "dec_ttl(" + strings.Join(ids, ",") + ")", true
}
