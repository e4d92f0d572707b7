package mroute

import (
	"errors"
	"net/netip"
	"slices"
	"syscall"
)

// part is the membership that one socket has at a place. A socket has one part a place at most, and the kernel merges
// the parts as RFC 9776 3.2 says: INCLUDE lists add up, so a long one is several parts.
type part struct {
	in *carrier
	// asked is the filter that the kernel was asked for. An EXCLUDE list it had no room for is still the one asked for.
	asked Filter
}

// carrier is a socket and how many parts it holds.
type carrier struct {
	memberSocket
	parts int
	full  bool // the kernel refused another membership, and none was given back since
}

// reconcile makes the parts at p add up to want. What is new is joined before the old is left.
func (j *Joiner) reconcile(p place, at *spot, want Filter) error {
	if want.Exclude {
		if err := j.exclude(p, at, want); err != nil {
			return err
		}
		return j.drop(p, at, func(have *part) bool { return !have.asked.Exclude })
	}
	for _, s := range want.Sources {
		if err := j.include(p, at, s); err != nil {
			return err
		}
	}
	if err := j.unlist(p, at, want); err != nil {
		return err
	}
	return j.drop(p, at, func(have *part) bool { return have.asked.Exclude || len(have.asked.Sources) == 0 })
}

// exclude makes one part with the list.
func (j *Joiner) exclude(p place, at *spot, want Filter) error {
	i := slices.IndexFunc(at.parts, func(have *part) bool { return have.asked.Exclude })
	if i < 0 {
		in, err := j.place(at, func(s memberSocket) error { return s.join(p) })
		if err != nil {
			return err
		}
		i = len(at.parts)
		at.parts = append(at.parts, &part{in: in, asked: AnySource()})
	}
	have := at.parts[i]
	if have.asked.equal(want) {
		return nil
	}
	err := have.in.setFilter(p, want)
	if noRoom(err) {
		j.widened++
		err = have.in.setFilter(p, AnySource())
	}
	if err == nil {
		have.asked = want
	}
	return err
}

// include adds a source to a part with room for it, which is mostly the last, or makes another part.
func (j *Joiner) include(p place, at *spot, source netip.Addr) error {
	if slices.ContainsFunc(at.parts, func(have *part) bool { return !have.asked.Exclude && have.asked.lists(source) }) {
		return nil
	}
	for _, have := range slices.Backward(at.parts) {
		if have.asked.Exclude {
			continue
		}
		err := have.in.joinSource(p, source)
		if noRoom(err) {
			continue
		}
		if err == nil {
			have.list(source)
		}
		return err
	}
	in, err := j.place(at, func(s memberSocket) error {
		err := s.joinSource(p, source)
		if err != nil {
			_ = s.leave(p) // the membership may have been made before its source was refused
		}
		return err
	})
	if err != nil {
		return err
	}
	at.parts = append(at.parts, &part{in: in, asked: Only(source)})
	return nil
}

// list books a source, in order.
func (have *part) list(source netip.Addr) {
	i, _ := slices.BinarySearchFunc(have.asked.Sources, source, netip.Addr.Compare)
	have.asked.Sources = slices.Insert(have.asked.Sources, i, source)
}

// unlist takes sources that are not wanted out of the INCLUDE parts. With its last source a membership ends by itself;
// drop then finds it gone.
func (j *Joiner) unlist(p place, at *spot, want Filter) error {
	for _, have := range at.parts {
		if have.asked.Exclude {
			continue
		}
		for _, s := range slices.Clone(have.asked.Sources) {
			if want.lists(s) {
				continue
			}
			if err := have.in.leaveSource(p, s); err != nil && !gone(err) {
				return err
			}
			have.asked.Sources = slices.DeleteFunc(have.asked.Sources, func(o netip.Addr) bool { return o == s })
		}
	}
	return nil
}

// drop leaves with the parts that match.
func (j *Joiner) drop(p place, at *spot, match func(*part) bool) error {
	for i := 0; i < len(at.parts); {
		have := at.parts[i]
		if !match(have) {
			i++
			continue
		}
		if err := have.in.leave(p); err != nil && !gone(err) {
			return err
		}
		at.parts = slices.Delete(at.parts, i, i+1)
		j.release(have.in)
	}
	return nil
}

// place finds a socket that has no part in at and where do succeeds, opening another one if need be.
func (j *Joiner) place(at *spot, do func(memberSocket) error) (*carrier, error) {
	for _, h := range j.sockets {
		if h.full || slices.ContainsFunc(at.parts, func(have *part) bool { return have.in == h }) {
			continue
		}
		err := do(h)
		if noRoom(err) {
			h.full = true
			continue
		}
		if err == nil {
			h.parts++
		}
		return h, err
	}
	s, err := j.open()
	if err != nil {
		return nil, err
	}
	if err := do(s); err != nil {
		return nil, errors.Join(err, s.close())
	}
	h := &carrier{memberSocket: s, parts: 1}
	j.sockets = append(j.sockets, h)
	return h, nil
}

// release gives a socket's slot back, and closes the socket with its last.
func (j *Joiner) release(h *carrier) {
	h.parts--
	h.full = false
	if h.parts > 0 {
		return
	}
	j.sockets = slices.DeleteFunc(j.sockets, func(o *carrier) bool { return o == h })
	_ = h.close()
}

// noRoom says that another socket may have room.
func noRoom(err error) bool {
	return errors.Is(err, syscall.ENOBUFS) || errors.Is(err, syscall.ENOMEM)
}

// gone says that what is left was not there: not joined, or its interface has vanished.
func gone(err error) bool {
	return errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.ENODEV) || errors.Is(err, syscall.EINVAL)
}
