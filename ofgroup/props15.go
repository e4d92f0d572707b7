package ofgroup

import "encoding/binary"

// A bucket's properties, in the order in which Open vSwitch writes them. All have 8
// bytes: type, length, and a value that is padded to 4.
const (
	propWeight     = 0
	propWatchPort  = 1
	propWatchGroup = 2

	propLen       = 8
	propHeaderLen = 4
	offPropLen    = 2
	offPropValue  = 4
)

// propsLen15 is the length of a bucket's properties in a group of type t.
func propsLen15(b *Bucket, t Type) int {
	if b.has&hasRawProps != 0 {
		return len(b.oddity().props)
	}
	n := 0
	if b.has&hasWeight != 0 || t == Select {
		n += propLen
	}
	if b.has&hasWatchPort != 0 {
		n += propLen
	}
	if b.has&hasWatchGroup != 0 {
		n += propLen
	}
	return n
}

func appendProps15(b []byte, k *Bucket, t Type) []byte {
	if k.has&hasRawProps != 0 {
		return append(b, k.oddity().props...)
	}
	switch {
	case k.has&hasWeight != 0:
		b = appendProp(b, propWeight, uint32(k.number)<<16)
	case t == Select:
		b = appendProp(b, propWeight, defaultWeight<<16)
	}
	if k.has&hasWatchPort != 0 {
		b = appendProp(b, propWatchPort, uint32(k.oddity().watchPort))
	}
	if k.has&hasWatchGroup != 0 {
		b = appendProp(b, propWatchGroup, uint32(k.oddity().watchGroup))
	}
	return b
}

func appendProp(b []byte, typ uint16, value uint32) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(typ)<<48|propLen<<32|uint64(value))
}

// normalProps is b without a received list of properties: its known ones stand in the
// fields again, and unknown ones stay behind them in their order.
func (b Bucket) normalProps() Bucket {
	if b.has&hasRawProps == 0 {
		return b
	}
	odd := b.oddity()
	rest := odd.props
	odd.props = ""
	known := b
	known.setOddity(odd, 0, hasRawProps)
	var unknown []byte
	for rest != "" {
		typ, n := propHead(rest)
		if typ > propWatchGroup {
			unknown = append(unknown, rest[:n]...)
		}
		rest = rest[n:]
	}
	if len(unknown) == 0 {
		return known
	}
	b.setRawProps(string(append(appendProps15(nil, &known, All), unknown...)))
	return b
}

// propHead is the type of the property that s starts with, and its length with padding.
// Meant for lists that were checked.
func propHead(s string) (typ uint16, n int) {
	return be16(s), align(int(be16(s[offPropLen:])))
}

// checkProps reports whether s is a list of properties: each declares a length that
// covers its header and, padded to 8, lies within s.
func checkProps(s string) error {
	for s != "" {
		if len(s) < propHeaderLen {
			return errPropLen
		}
		declared := int(be16(s[offPropLen:]))
		if declared < propHeaderLen || align(declared) > len(s) {
			return errPropLen
		}
		s = s[align(declared):]
	}
	return nil
}

// setProps15 reads a bucket's properties, and keeps them as they are if b would not be
// encoded to them again.
func (b *Bucket) setProps15(props string, t Type) error {
	if err := checkProps(props); err != nil {
		return err
	}
	for rest := props; rest != ""; {
		typ, n := propHead(rest)
		if typ <= propWatchGroup {
			if be16(rest[offPropLen:]) != propLen {
				return errPropLen
			}
			b.setProp(typ, be32(rest[offPropValue:]))
		}
		rest = rest[n:]
	}
	var buf [3 * propLen]byte
	if string(appendProps15(buf[:0], b, t)) != props {
		b.setRawProps(props)
	}
	return nil
}

func (b *Bucket) setProp(typ uint16, value uint32) {
	switch typ {
	case propWeight:
		b.setWeight(uint16(value >> 16))
	case propWatchPort:
		b.setWatchPort(Port(value))
	case propWatchGroup:
		b.setWatchGroup(ID(value))
	}
}
