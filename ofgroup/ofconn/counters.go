package ofconn

import (
	"encoding/binary"
	"time"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// Counters of OpenFlow 1.5 are a list of fields (OXS; 1.5.1, 7.2.4), each with a header
// of class, field number in seven bits, and length.
const (
	oxsClass       = 0x8002
	oxsHeaderLen   = 4
	oxsDuration    = 0
	oxsFlowCount   = 3
	oxsPacketCount = 4
	oxsByteCount   = 5

	countersHeaderLen = 4
	offCountersLen    = 2

	totalsLen13 = 24
)

// counted is what a list of counters has of what is of use here.
type counted struct {
	age            time.Duration
	packets, bytes uint64
	flows          uint32
}

// parseCounters reads the list that b starts with, and tells how many bytes it takes with
// its padding. Counters that are not known are passed over by their length.
func parseCounters(b []byte) (counted, int, error) {
	c := counted{packets: NotCounted, bytes: NotCounted}
	if len(b) < countersHeaderLen {
		return c, 0, malformed("counters end early")
	}
	n := int(binary.BigEndian.Uint16(b[offCountersLen:]))
	if n < countersHeaderLen || align(n) > len(b) {
		return c, 0, malformed("length of the counters")
	}
	for rest := b[countersHeaderLen:n]; len(rest) > 0; {
		if len(rest) < oxsHeaderLen || oxsHeaderLen+int(rest[3]) > len(rest) {
			return c, 0, malformed("counter length")
		}
		value := rest[oxsHeaderLen : oxsHeaderLen+int(rest[3])]
		if binary.BigEndian.Uint16(rest) == oxsClass {
			c.read(rest[2]>>1, value)
		}
		rest = rest[oxsHeaderLen+len(value):]
	}
	return c, align(n), nil
}

// read takes one counter, if it is as long as it should be.
func (c *counted) read(field uint8, value []byte) {
	switch {
	case len(value) == 8 && field == oxsDuration:
		c.age = age(value)
	case len(value) == 8 && field == oxsPacketCount:
		c.packets = binary.BigEndian.Uint64(value)
	case len(value) == 8 && field == oxsByteCount:
		c.bytes = binary.BigEndian.Uint64(value)
	case len(value) == 4 && field == oxsFlowCount:
		c.flows = binary.BigEndian.Uint32(value)
	}
}

// ParseFlowTotals decodes the body of an OFPMP_AGGREGATE reply in version v. The error
// matches ofgroup.ErrMalformed.
func ParseFlowTotals(v ofgroup.Version, body []byte) (FlowTotals, error) {
	if v == ofgroup.OpenFlow13 {
		if len(body) != totalsLen13 {
			return FlowTotals{}, malformed("length of the totals")
		}
		return FlowTotals{
			Packets: binary.BigEndian.Uint64(body), Bytes: binary.BigEndian.Uint64(body[8:]),
			Flows: binary.BigEndian.Uint32(body[16:]),
		}, nil
	}
	c, n, err := parseCounters(body)
	if err == nil && n != len(body) {
		err = malformed("length of the totals")
	}
	if err != nil {
		return FlowTotals{}, err
	}
	return FlowTotals{c.packets, c.bytes, c.flows}, nil
}
