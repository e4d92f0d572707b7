package querier

import (
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
)

const (
	opConfigure = "configure"
	opSetAddrs  = "set addresses"
	opSpecific  = "specific query"
)

var unspecified = netip.IPv4Unspecified()

// hostAddr says whether a host can have the address (RFC 1122 3.2.1.3). Those of 0.0.0.0/8 would win every election.
func hostAddr(a netip.Addr) bool {
	if !a.Is4() {
		return false
	}
	first := a.As4()[0]
	return first != 0 && first != 127 && first < 224
}

// SetAddrs replaces Config.Addrs. With another source address, and with one that is the other querier's, a new election
// begins: we are querier until a better one is heard, and the queries of the start are sent anew, the first with the
// next Advance. Otherwise nothing else changes, so it may be called whenever an interface may have changed. On error,
// an *Error, everything stays as it was.
func (q *Querier) SetAddrs(addrs []netip.Addr) error {
	before := q.addrs[0]
	if err := q.setAddrs(opSetAddrs, addrs); err != nil {
		return err
	}
	if q.addrs[0] != before || slices.Contains(q.addrs, q.other.addr) {
		q.lead(time.Time{}, q.cfg.RV)
	}
	return nil
}

func (q *Querier) setAddrs(op string, addrs []netip.Addr) error {
	if len(addrs) == 0 {
		return &Error{Op: op, Err: ErrNoAddress}
	}
	own := make([]netip.Addr, 0, len(addrs))
	for i, a := range addrs {
		a = a.Unmap()
		if !hostAddr(a) && (i > 0 || a != unspecified) {
			return &Error{Op: op, Where: "address " + strconv.Itoa(i), Err: igmp.ErrAddress}
		}
		own = append(own, a)
	}
	general, err := renderGeneral(&q.cfg, own[0])
	if err != nil {
		return &Error{Op: op, Err: err}
	}
	q.addrs, q.general = own, general
	return nil
}
