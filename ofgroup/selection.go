package ofgroup

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// Selection is how a Select group chooses a bucket for a packet: an immutable value,
// comparable with ==. It is an extension of Open vSwitch in OpenFlow 1.5; 1.3 has no word
// for it. The zero Selection leaves the choice to the switch.
type Selection struct {
	enc   string // the group properties, encoded
	fault error
}

// The property that carries a selection method: header, vendor, the vendor's type, padding,
// name, parameter, and the fields. Its length does not count the padding behind it.
const (
	propExperimenter = 0xffff
	netronomeVendor  = 0x0000154d
	netronomeMethod  = 1

	selectionNameLen   = 16
	offSelectionVendor = 4
	offSelectionType   = 8
	offSelectionName   = 16
	offSelectionParam  = 32
	selectionLen       = 40
)

// DPHash chooses by the hash that the datapath computes: algorithm 0 over the 5-tuple, 1
// the same for both directions of a connection; basis changes which bucket gets what.
func DPHash(algorithm, basis uint32) Selection {
	return Selection{enc: encodeSelection("dp_hash", uint64(algorithm)<<32|uint64(basis), nil)}
}

// Hash chooses by a hash of these fields, or parts of fields, so that packets alike in them
// go one way; the fields of the 5-tuple if there are none.
func Hash(fields ...Field) Selection {
	fields = slices.Clone(fields)
	// The order in which the switch describes them.
	slices.SortStableFunc(fields, func(f, g Field) int { return f.number() - g.number() })
	var b []byte
	for i, f := range fields {
		if err := f.checkMatch(); err != nil {
			return Selection{fault: err}
		}
		if i > 0 && f.number() == fields[i-1].number() {
			return Selection{fault: fault{ErrField, f.info().name + " twice in a selection"}}
		}
		h, mask := f.info().oxm, ones(8*f.info().oxm.Len())
		if f.part() {
			mask = f.mask()
		}
		b = binary.BigEndian.AppendUint32(b, uint32(h))
		b = append(b, make([]byte, h.Len())...)
		mask.put(b[len(b)-h.Len():])
	}
	return Selection{enc: encodeSelection("hash", 0, b)}
}

func encodeSelection(method string, param uint64, fields []byte) string {
	b := make([]byte, align(selectionLen+len(fields)))
	binary.BigEndian.PutUint16(b, propExperimenter)
	n, _ := openflow.Narrow[uint16](selectionLen + len(fields))
	binary.BigEndian.PutUint16(b[offPropLen:], n)
	binary.BigEndian.PutUint32(b[offSelectionVendor:], netronomeVendor)
	binary.BigEndian.PutUint32(b[offSelectionType:], netronomeMethod)
	copy(b[offSelectionName:], method)
	binary.BigEndian.PutUint64(b[offSelectionParam:], param)
	copy(b[selectionLen:], fields)
	return string(b)
}

// WithSelection is g with this way to choose a bucket, in place of all properties it had.
func (g Group) WithSelection(s Selection) Group {
	if g.sel = nil; s != (Selection{}) {
		g.sel = &s
	}
	return g
}

// Selection is how the group chooses a bucket. In a group that was decoded it holds all
// group properties, also unknown ones.
func (g Group) Selection() Selection {
	if g.sel == nil {
		return Selection{}
	}
	return *g.sel
}

// String is the selection as it stands in a line of ovs-ofctl, empty for the zero
// Selection. What this package does not know is printed as "properties=" and its bytes in
// hexadecimal, which ovs-ofctl does not take.
func (s Selection) String() string {
	switch {
	case s.fault != nil:
		return "Selection(" + s.fault.Error() + ")"
	case s.enc == "":
		return ""
	}
	if text, ok := selectionText(s.enc); ok {
		return text
	}
	return "properties=" + hex.EncodeToString([]byte(s.enc))
}

func selectionText(p string) (string, bool) {
	if len(p) < selectionLen || be16(p) != propExperimenter ||
		be32(p[offSelectionVendor:]) != netronomeVendor || be32(p[offSelectionType:]) != netronomeMethod {
		return "", false
	}
	end := int(be16(p[offPropLen:]))
	if end < selectionLen || align(end) != len(p) { // not this property alone
		return "", false
	}
	name, _, _ := strings.Cut(p[offSelectionName:offSelectionName+selectionNameLen], "\x00")
	text := "selection_method=" + name
	if param := binary.BigEndian.Uint64([]byte(p[offSelectionParam:])); param != 0 {
		text += ",selection_method_param=" + strconv.FormatUint(param, 10)
	}
	fields, ok := selectionFields(p[selectionLen:end])
	switch {
	case len(fields) == 1 && !strings.Contains(fields[0], "="):
		text += ",fields=" + fields[0]
	case len(fields) > 0:
		text += ",fields(" + strings.Join(fields, ",") + ")"
	}
	return text, ok
}

// selectionFields prints the fields of a selection method: name, and mask if not all ones.
func selectionFields(s string) (fields []string, ok bool) {
	for s != "" {
		if len(s) < 4 {
			return nil, false
		}
		h := openflow.OXM(be32(s))
		f := fieldByOXM(h)
		if f == nil || h != f.oxm || len(s) < 4+h.Len() {
			return nil, false
		}
		text := f.name
		if mask := s[4 : 4+h.Len()]; uint128FromBytes(mask) != ones(8*h.Len()) {
			text += "=" + f.form.dottedText(mask)
		}
		fields = append(fields, text)
		s = s[4+h.Len():]
	}
	return fields, true
}
