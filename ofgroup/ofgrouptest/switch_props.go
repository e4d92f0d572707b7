package ofgrouptest

import (
	"bytes"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

const (
	propWeight       = 0
	propWatchPort    = 1
	propWatchGroup   = 2
	propExperimenter = 0xffff

	netronome       = 0x0000154d // owner of the selection method property
	selectionMethod = 1
	selectionNameAt = 16 // 16 bytes, after type, length, owner, subtype and padding
	selectionLen    = 40 // without fields: the name is followed by a 64-bit parameter
)

// nextProp cuts the property that b starts with. Its length leaves out the
// padding to 8 bytes; the rest starts after it.
func nextProp(b []byte) (kind uint16, prop, rest []byte, v verdict) {
	if len(b) < 4 {
		return 0, nil, nil, badPropLen
	}
	n := int(be.Uint16(b[2:]))
	padded := (n + 7) &^ 7
	if n < 4 || padded > len(b) {
		return 0, nil, nil, badPropLen
	}
	return be.Uint16(b), b[:n], b[padded:], accepted
}

// parseProps reads a bucket's properties; of two of a kind the last one counts.
func (k *bucket) parseProps(b []byte) verdict {
	for len(b) > 0 {
		kind, prop, rest, v := nextProp(b)
		if v != accepted {
			return v
		}
		switch kind {
		case propWeight:
			v = k.parseWeight(prop)
		case propWatchPort:
			v = watchValue(prop, &k.watchPort)
		case propWatchGroup:
			v = watchValue(prop, &k.watchGroup)
		case propExperimenter:
			v = experimenterProp(prop)
		default:
			v = badPropType
		}
		if v != accepted {
			return v
		}
		b = rest
	}
	if !mappablePort(k.watchPort) {
		return badWatch
	}
	return accepted
}

// parseWeight takes any length that holds the number: the switch does.
func (k *bucket) parseWeight(prop []byte) verdict {
	if len(prop) < 6 {
		return badPropLen
	}
	k.weight = be.Uint16(prop[4:])
	return accepted
}

func watchValue(prop []byte, to *uint32) verdict {
	if len(prop) != 8 {
		return badPropLen
	}
	*to = be.Uint32(prop[4:])
	return accepted
}

// mappablePort: Open vSwitch folds ports into 16 bits; what lies between the
// folded ordinary ports and the folded reserved ones has no place.
func mappablePort(p uint32) bool { return p < 0xff00 || p >= 0xffffff00 }

// experimenterProp refuses every property of an experimenter: none is known for
// buckets, and one is known for groups, which is read before this is asked.
func experimenterProp(prop []byte) verdict {
	switch {
	case len(prop) < 12:
		return badPropLen
	case be.Uint32(prop[4:]) == 0:
		return badPropExperimenter
	}
	return badPropExpType
}

// parseGroupProps returns the group's properties as they are described back. The
// only one known is the selection method, of which the last one counts.
func parseGroupProps(b []byte, kind uint8, command uint16) ([]byte, verdict) {
	var kept []byte
	for len(b) > 0 {
		t, prop, rest, v := nextProp(b)
		if v != accepted {
			return nil, v
		}
		if t != propExperimenter {
			return nil, badPropType
		}
		if v := checkSelection(prop, kind, command); v != accepted {
			return nil, v
		}
		kept = append(bytes.Clone(prop), make([]byte, -len(prop)&7)...)
		b = rest
	}
	return kept, accepted
}

func checkSelection(prop []byte, kind uint8, command uint16) verdict {
	if len(prop) < 12 {
		return badPropLen
	}
	if be.Uint32(prop[4:]) != netronome || be.Uint32(prop[8:]) != selectionMethod {
		return experimenterProp(prop)
	}
	if v := selectionAllowed(kind, command); v != accepted {
		return v
	}
	if len(prop) < selectionLen {
		return badPropLen
	}
	name, _, _ := bytes.Cut(prop[selectionNameAt:selectionNameAt+16], []byte{0})
	fields := prop[selectionLen:]
	switch string(name) {
	case "hash":
		return checkHashFields(fields)
	case "dp_hash":
		if len(fields) > 0 {
			return badPropValue
		}
		return accepted
	}
	return badPropValue
}

// selectionAllowed: only whole select groups have a method. Types and commands that do
// not exist are found here first.
func selectionAllowed(kind uint8, command uint16) verdict {
	switch {
	case kind > typeFF:
		return badGroupType
	case kind != typeSelect:
		return badPropValue
	}
	switch command {
	case cmdAdd, cmdModify, cmdAddOrMod:
		return accepted
	case cmdDelete, cmdInsert, cmdRemove:
		return badPropValue
	}
	return badGroupCommand
}

// checkHashFields reads a list of OXM headers without the mask bit, each followed
// by a mask as long as the field.
func checkHashFields(b []byte) verdict {
	seen := make(map[openflow.OXM]bool)
	for len(b) > 0 {
		if len(b) < 4 {
			return badMatchLen
		}
		header := openflow.OXM(be.Uint32(b))
		f, ok := fieldOf(header)
		switch {
		case header.HasMask():
			return badMatchMask
		case !ok || f.size != header.Len():
			return badMatchField
		case len(b) < 4+f.size:
			return badMatchLen
		case seen[header]:
			return dupMatchField
		case matchRules[f.number].exact && !exactMask(b[4:4+f.size]):
			return badMatchMask
		}
		seen[header] = true
		b = b[4+f.size:]
	}
	return accepted
}
