package ofgroup

import "encoding/binary"

// A bucket without a weight that sends its packet to one port, and does nothing else, as
// all those of a multicast group do, has the port in the place of the weight and no encoded
// actions: it takes no memory of its own. However such a bucket came about, it has this
// form, for == to find.

// setActions gives the bucket, which is no output, these encoded actions instead of its own.
func (b *Bucket) setActions(list string) {
	if p, ok := plainOutput(list); ok && b.has&hasWeight == 0 {
		b.actions, b.number, b.has = "", p.short(), b.has|hasOutput
		return
	}
	b.actions = list
}

// plainOutput is the port that encoded actions send to, if they are nothing but an output of
// whole packets to a port that has a short form.
func plainOutput[B string | []byte](list B) (Port, bool) {
	if len(list) != outputLen || be32(list) != outputLen || be64(list[offOutputMaxLen:]) != 0 {
		return 0, false
	}
	p := Port(be32(list[offActionBody:]))
	return p, portOf(p.short()) == p
}

// setWeight gives the bucket a weight, for which an output makes room.
func (b *Bucket) setWeight(w uint16) {
	if b.has&hasOutput != 0 {
		b.actions, b.has = b.list(), b.has&^hasOutput
	}
	b.number, b.has = w, b.has|hasWeight
}

// output is the port of a bucket that hasOutput.
func (b *Bucket) output() Port { return portOf(b.number) }

// list is the encoded actions, one after the other.
func (b *Bucket) list() string {
	if b.has&hasOutput != 0 {
		return output(b.output(), 0).encoding()
	}
	return b.actions
}

// listLen is the length of list.
func (b *Bucket) listLen() int {
	if b.has&hasOutput != 0 {
		return outputLen
	}
	return len(b.actions)
}

// listLen13 is the length of the actions in OpenFlow 1.3, where an output is the same.
func (b *Bucket) listLen13() int {
	if b.has&hasOutput != 0 {
		return outputLen
	}
	return actionsLen13(b.actions, 0)
}

// appendList appends list to buf.
func (b *Bucket) appendList(buf []byte) []byte {
	if b.has&hasOutput != 0 {
		buf = binary.BigEndian.AppendUint64(buf, outputLen<<32|uint64(b.output()))
		return binary.BigEndian.AppendUint64(buf, 0)
	}
	return append(buf, b.actions...)
}

// appendList13 appends the actions in OpenFlow 1.3 to buf.
func (b *Bucket) appendList13(buf []byte) []byte {
	if b.has&hasOutput != 0 {
		return b.appendList(buf)
	}
	return appendActions13(buf, b.actions, 0)
}
