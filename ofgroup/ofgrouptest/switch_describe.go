package ofgrouptest

import "github.com/ofmcast/ofmcast/internal/openflow"

const descHeader = 16 // of a group's entry in a description (section 7.3.5.11)

// describe appends the group's entry of a GROUP_DESC reply. Both lengths wrap at 16
// bits as the real switch's do.
func (g *swGroup) describe(b []byte, id uint32) []byte {
	start := len(b)
	b = append(b, make([]byte, descHeader)...)
	for _, k := range g.buckets {
		b = k.describe(b, g.kind)
	}
	buckets := len(b) - start - descHeader
	b = append(b, g.props...)
	h := b[start:]
	be.PutUint16(h, uint16(len(h)&openflow.MaxLen))
	h[2] = g.kind
	be.PutUint32(h[4:], id)
	be.PutUint16(h[8:], uint16(buckets&openflow.MaxLen))
	return b
}

// describe appends the bucket as a group of this type shows it: the weight always
// in a select group, even 0, and elsewhere only where an INSERT smuggled one in.
func (k bucket) describe(b []byte, kind uint8) []byte {
	start := len(b)
	b = append(b, make([]byte, bucketHeader)...)
	b = append(b, k.actions...)
	if kind == typeSelect || k.weight != 0 {
		b = appendProp(b, propWeight, uint32(k.weight)<<16)
	}
	if k.watchPort != anyWatch {
		b = appendProp(b, propWatchPort, k.watchPort)
	}
	if k.watchGroup != anyWatch {
		b = appendProp(b, propWatchGroup, k.watchGroup)
	}
	h := b[start:]
	be.PutUint16(h, uint16(len(h)&openflow.MaxLen))
	be.PutUint16(h[2:], uint16(len(k.actions)&openflow.MaxLen))
	be.PutUint32(h[4:], k.id)
	return b
}

func appendProp(b []byte, kind uint16, value uint32) []byte {
	b = be.AppendUint16(b, kind)
	b = be.AppendUint16(b, 8)
	return be.AppendUint32(b, value)
}

// descriptions are the entries of the groups that the switch has of ids.
func (t *groupTable) descriptions(ids []uint32) [][]byte {
	var entries [][]byte
	for _, id := range ids {
		if g := t.groups[id]; g != nil {
			entries = append(entries, g.describe(nil, id))
		}
	}
	return entries
}
