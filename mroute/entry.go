package mroute

import (
	"encoding/binary"
	"net/netip"
)

// mfcKey is an SG of IPv4 as the books and the kernel have it: source and group in one word. A key of two netip.Addr takes
// longer to look up than all else that the books do.
type mfcKey uint64

// String is that of the SG.
func (k mfcKey) String() string { return k.sg().String() }

// book finds the key of an SG, or why there can be no such route.
func (k SG) book() (mfcKey, error) {
	k, err := k.plain()
	if err != nil {
		return 0, err
	}
	return k.key(), nil
}

// key is for an SG in its plain form.
func (k SG) key() mfcKey {
	source, group := k.Source.As4(), k.Group.As4()
	return mfcKey(binary.BigEndian.Uint32(source[:]))<<32 | mfcKey(binary.BigEndian.Uint32(group[:]))
}

func (k mfcKey) sg() SG {
	b := k.bytes()
	return SG{Source: netip.AddrFrom4([4]byte(b[:4])), Group: netip.AddrFrom4([4]byte(b[4:]))}
}

// bytes are the source and the group.
func (k mfcKey) bytes() (b [8]byte) {
	binary.BigEndian.PutUint64(b[:], uint64(k))
	return b
}

func (k mfcKey) wildcard() bool { return k>>32 == 0 }

// ttls is the form of Out that the kernel takes: by VIF number, 0 for those where no packet leaves.
type ttls [MaxVIFs]byte

// entry is a route in the books, in the kernel's form. It has no pointers: the garbage collector passes by the books of a
// hundred thousand routes.
type entry struct {
	in  VIF
	out ttls
	// vifs are all numbers that the route names.
	vifs vifSet
	// adopted entries were found in the kernel, and may name VIFs that it does not tell of.
	adopted bool
}

// entry is the route in the kernel's form.
func (r Route) entry() entry {
	e := entry{in: r.In, vifs: 1 << r.In}
	for _, h := range r.Out {
		e.out[h.VIF] = max(h.TTL, 1)
		e.vifs |= 1 << h.VIF
	}
	if r.Wildcard() {
		e.out[r.In] = 1 // the kernel looks a wildcard up by the VIFs where it leaves; back to In it sends nothing
	}
	return e
}

// route is the entry in the form that AddRoute takes.
func (e *entry) route(k mfcKey) Route {
	r := Route{SG: k.sg(), In: e.in}
	for v := range e.vifs.each() {
		if v != e.in {
			r.Out = append(r.Out, Hop{VIF: v, TTL: e.out[v]})
		}
	}
	return r
}

// same says that two entries mean the same to the kernel.
func (e *entry) same(o *entry) bool { return e.in == o.in && e.out == o.out }

// within is the entry without the outgoing VIFs that are not in the set.
func (e entry) within(set vifSet) entry {
	for v := range (e.vifs &^ set).each() {
		e.out[v] = 0
	}
	e.vifs &= set
	e.adopted = false
	return e
}
