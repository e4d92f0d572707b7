package ofgroup

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// Match says which packets a flow takes: those for which all its conditions are true. It
// is an immutable, comparable value; two matches of the same conditions are equal in
// whatever order they were given. The zero Match takes every packet.
type Match struct {
	fields string // encoded, in the order of matchOrder
	fault  error
}

// matchOrder is the order in which Open vSwitch writes fields: each behind those that
// it needs.
//
// To add a field: its place here, as in nx_put_raw, beside its line in the field table.
var matchOrder = [...]Field{
	ConjID, InPort, PacketType, EthSrc, EthDst, EthType, VLANVID, VLANPCP,
	MPLSTC, MPLSBOS, MPLSTTL, MPLSLabel,
	IPSrc, IPDst, IPv6Src, IPv6Dst, IPFrag, IPDSCP, IPECN, IPTTL, IPv6Label, IPProto,
	TCPSrc, TCPDst, TCPFlags, UDPSrc, UDPDst, SCTPSrc, SCTPDst,
	ICMPType, ICMPCode, ICMPv6Type, ICMPv6Code, NDTarget, NDSLL, NDTLL,
	ARPOp, ARPSPA, ARPTPA, ARPSHA, ARPTHA,
	TunID, TunFlags, TunSrc, TunDst, TunIPv6Src, TunIPv6Dst, TunGBPID, TunGBPFlags,
	reg0, reg0 + 1, reg0 + 2, reg0 + 3, reg0 + 4, reg0 + 5, reg0 + 6, reg0 + 7,
	reg0 + 8, reg0 + 9, reg0 + 10, reg0 + 11, reg0 + 12, reg0 + 13, reg0 + 14, reg0 + 15,
	xreg0, xreg0 + 1, xreg0 + 2, xreg0 + 3, xreg0 + 4, xreg0 + 5, xreg0 + 6, xreg0 + 7,
	xxreg0, xxreg0 + 1, xxreg0 + 2, xxreg0 + 3,
	PktMark, CTState, CTZone, CTMark, CTLabel,
	CTSrc, CTDst, CTIPv6Src, CTIPv6Dst, CTProto, CTSrcPort, CTDstPort, Metadata,
}

// NewMatch is the match of these conditions. At most one may be about each field; a
// second one is a fault, told by Err.
func NewMatch(conditions ...Condition) Match { return Match{}.With(conditions...) }

// With is m with further conditions.
func (m Match) With(conditions ...Condition) Match {
	for _, c := range conditions {
		switch {
		case m.fault != nil:
			return m
		case c.fault != nil:
			return Match{fault: c.fault}
		case c.mask == uint128{}:
		default:
			m = m.insert(c)
		}
	}
	return m
}

// insert puts one condition at its place.
func (m Match) insert(c Condition) Match {
	oxm, _ := matchOXM(int(c.field))
	at, mine := 0, matchRank(oxm)
	if mine < 0 {
		return Match{fault: fault{ErrField, fieldTable[c.field].name + " has no place in a match"}}
	}
	for rest := m.fields; rest != ""; {
		h, n := oxmHead(rest)
		rank := matchRank(h)
		if rank == mine {
			return Match{fault: fault{ErrField, fieldTable[c.field].name + " is asked for twice"}}
		}
		if rank > mine {
			break
		}
		rest, at = rest[n:], at+n
	}
	b := make([]byte, 0, len(m.fields)+maxMatchField)
	b = append(b, m.fields[:at]...)
	b = c.appendTo(b)
	return Match{fields: string(append(b, m.fields[at:]...))}
}

// maxMatchField is the longest encoded condition: header, value and mask.
const maxMatchField = oxmHeaderLen + 2*16

const oxmHeaderLen = openflow.OXMHeaderLen

// appendTo appends the encoded condition.
func (c *Condition) appendTo(b []byte) []byte {
	h, bits := matchOXM(int(c.field))
	n, masked := h.Len(), c.mask != ones(bits)
	if masked {
		h = h.Masked()
	}
	b = binary.BigEndian.AppendUint32(b, uint32(h))
	var buf [16]byte
	c.value.put(buf[:n])
	b = append(b, buf[:n]...)
	if masked {
		c.mask.put(buf[:n])
		b = append(b, buf[:n]...)
	}
	return b
}

// oxmHead is the header of the field that s starts with, and its length in all.
func oxmHead(s string) (openflow.OXM, int) {
	h := openflow.OXM(be32(s))
	return h, oxmHeaderLen + h.Len()
}

// matchRank is the place of a field in matchOrder, -1 if it has none.
func matchRank(h openflow.OXM) int {
	return slices.IndexFunc(matchOrder[:], func(f Field) bool {
		oxm, _ := matchOXM(f.number())
		return oxm == h.Unmasked()
	})
}

// Err is the fault of the first condition that cannot be, nil if there is none.
func (m Match) Err() error { return m.fault }

// matchTypeOXM is the type of every match since OpenFlow 1.2.
const matchTypeOXM = 1

// AppendBinary appends the match as it stands in a message (OpenFlow 1.5.1, 7.2.3.1, the
// same in 1.3): type, length without the padding, fields, and zeros to a multiple of 8.
// The error is Err.
func (m Match) AppendBinary(b []byte) ([]byte, error) {
	if m.fault != nil {
		return b, m.fault
	}
	const head = 4
	n, ok := openflow.Narrow[uint16](head + len(m.fields))
	if !ok { // fields are few and each is there once
		return b, fault{ErrField, "match too long"}
	}
	b = binary.BigEndian.AppendUint16(b, matchTypeOXM)
	b = binary.BigEndian.AppendUint16(b, n)
	b = append(b, m.fields...)
	return append(b, make([]byte, align(int(n))-int(n))...), nil
}

// String is the match as ovs-ofctl add-flow takes it, empty for the zero Match.
func (m Match) String() string {
	if m.fault != nil {
		return "Match(" + m.fault.Error() + ")"
	}
	var words []string
	for rest := m.fields; rest != ""; {
		h, n := oxmHead(rest)
		words = append(words, matchFieldText(h, rest[oxmHeaderLen:n]))
		rest = rest[n:]
	}
	return strings.Join(words, ",")
}
