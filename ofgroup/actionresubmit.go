package ofgroup

import (
	"strconv"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// A resubmit has port and table behind its header.
const (
	resubmitLen       = 16
	offResubmitPort   = 10
	offResubmitTable  = 12
	offResubmitPad    = 13
	resubmitSameTable = 0xff
)

// Resubmit looks the packet up in a flow table and runs what it finds there, then
// goes on with the bucket. It is Open vSwitch's own action. Table 255 is the table
// the packet is in.
func Resubmit(table uint8) Action { return ResubmitPort(PortIn, table) }

// ResubmitPort is Resubmit with the packet taken to have come in by p.
func ResubmitPort(p Port, table uint8) Action {
	return resubmit(openflow.NiciraResubmitTable, p, table)
}

// ResubmitCT is ResubmitPort with addresses and ports taken from the connection's
// original direction, which a packet that went through CT knows. PortIn is the port the
// packet came in by.
func ResubmitCT(p Port, table uint8) Action {
	return resubmit(openflow.NiciraResubmitCT, p, table)
}

func resubmit(subtype uint16, p Port, table uint8) Action {
	if !p.usable() {
		return badPort("resubmit from", p)
	}
	return Action{
		first:  openflow.ActionNicira<<48 | resubmitLen<<32 | openflow.NiciraVendor,
		second: uint64(subtype)<<48 | uint64(p.short())<<32 | uint64(table)<<24,
	}
}

// AsResubmit is the table that the action looks in, and the port that the packet is taken
// to have come in by, if it is a Resubmit, ResubmitPort or ResubmitCT.
func (a Action) AsResubmit() (table uint8, p Port, ok bool) {
	enc := a.encoding()
	switch niciraSubtype(enc) {
	case openflow.NiciraResubmitTable, openflow.NiciraResubmitCT:
		if len(enc) == resubmitLen {
			return enc[offResubmitTable], portOf(be16(enc[offResubmitPort:])), true
		}
	}
	return 0, 0, false
}

// resubmitText prints a resubmit.
func resubmitText(a string) (string, bool) {
	if len(a) != resubmitLen || !zeros(a[offResubmitPad:]) {
		return "", false
	}
	p, table := portOf(be16(a[offResubmitPort:])), a[offResubmitTable]
	ct := niciraSubtype(a) == openflow.NiciraResubmitCT
	if p != PortIn && table == resubmitSameTable && !ct {
		return "resubmit:" + p.String(), true
	}
	in, end := "", ")"
	if p != PortIn {
		in = p.String()
	}
	if ct {
		end = ",ct)"
	}
	return "resubmit(" + in + "," + strconv.Itoa(int(table)) + end, true
}
