package mroute

import (
	"errors"
	"iter"
	"slices"
	"syscall"
)

// Routes are the routes that were added and not deleted, in no order, as of the call. The kernel may have lost some. Their
// Out is in the order of VIF numbers, with the thresholds that hold: 1 where AddRoute was given 0.
func (s *Socket) Routes() iter.Seq[Route] {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Route, 0, len(s.routes))
	for k, e := range s.routes {
		out = append(out, e.route(k))
	}
	return slices.Values(out)
}

// AddRoute makes a route, or replaces the one of the same source and group in place, without a gap. Errors that no
// system call is made for: ErrAddress, ErrLinkLocal, ErrNoVIF, ErrLoop, ErrTTL.
func (s *Socket) AddRoute(r Route) error {
	key, err := r.book()
	if err != nil {
		return fault("add route", r.SG.String(), err)
	}
	if err := s.lock(); err != nil {
		return fault("add route", key, err)
	}
	defer s.mu.Unlock()
	if err := r.check(vifSet(s.registered.Load())); err != nil {
		return fault("add route", key, err)
	}
	if err := s.put(key, r.entry()); err != nil {
		return fault("add route", key, err)
	}
	return nil
}

// put makes a route and books it.
func (s *Socket) put(k mfcKey, e entry) error {
	if err := s.kernel.addMFC(k, e.in, e.out); err != nil {
		return meaning{syscall.ENFILE: ErrNoVIF}.explain(err)
	}
	if old, ok := s.routes[k]; ok {
		if err := s.moved(k, old.in, e.in); err != nil {
			return err
		}
		s.vifs.use(old.vifs, -1)
	}
	s.routes[k] = e
	s.vifs.use(e.vifs, 1)
	return nil
}

// moved deletes the old entry of a wildcard that arrives elsewhere now: the kernel keeps one for each incoming VIF. If it
// cannot the new one goes, and the books are right still.
func (s *Socket) moved(k mfcKey, from, to VIF) error {
	if !k.wildcard() || from == to {
		return nil
	}
	if err := s.kernel.delMFC(k, from); err != nil && !errors.Is(err, syscall.ENOENT) {
		return errors.Join(meaning{}.explain(err), s.kernel.delMFC(k, to))
	}
	return nil
}

// DelRoute deletes a route. One that the kernel does not have, or has no more, counts as deleted.
func (s *Socket) DelRoute(k SG) error {
	key, err := k.book()
	if err != nil {
		return fault("delete route", k.String(), err)
	}
	if err := s.lock(); err != nil {
		return fault("delete route", key, err)
	}
	defer s.mu.Unlock()
	if err := s.drop(key); err != nil {
		return fault("delete route", key, meaning{}.explain(err))
	}
	return nil
}

// drop deletes a route, and forgets it.
func (s *Socket) drop(k mfcKey) error {
	in := NoVIF
	e, booked := s.routes[k]
	if booked {
		in = e.in
	}
	if err := s.kernel.delMFC(k, in); err != nil && !errors.Is(err, syscall.ENOENT) {
		return err
	}
	if booked {
		s.vifs.use(e.vifs, -1)
		delete(s.routes, k)
	}
	return nil
}

// RouteCounters reads a route's counters. ErrNoRoute means that the kernel has no such route, or has lost it.
func (s *Socket) RouteCounters(k SG) (RouteCounters, error) {
	key, err := k.book()
	if err != nil {
		return RouteCounters{}, fault("count route", k.String(), err)
	}
	c, err := s.kernel.routeCounters(key)
	if err != nil {
		return RouteCounters{}, fault("count route", key, meaning{syscall.EADDRNOTAVAIL: ErrNoRoute}.explain(err))
	}
	return c, nil
}
