package mroute

import (
	"errors"
	"iter"
	"slices"
	"syscall"
)

// Routes are the routes that were added and not deleted, in no order, as of the call. The kernel may have lost some.
func (s *Socket) Routes() iter.Seq[Route] {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Route, 0, len(s.routes))
	for _, r := range s.routes {
		out = append(out, r.clone())
	}
	return slices.Values(out)
}

// AddRoute makes a route, or replaces the one of the same source and group in place, without a gap. Errors that no
// system call is made for: ErrAddress, ErrLinkLocal, ErrNoVIF, ErrLoop, ErrTTL.
func (s *Socket) AddRoute(r Route) error {
	key, err := r.plain()
	if err != nil {
		return fault("add route", r.SG, err)
	}
	if err := s.lock(); err != nil {
		return fault("add route", key, err)
	}
	defer s.mu.Unlock()
	r = r.clone()
	r.SG = key
	if err := s.put(r); err != nil {
		return fault("add route", key, err)
	}
	return nil
}

// put makes a route and books it.
func (s *Socket) put(r Route) error {
	out, err := r.check(s.vifs.registered())
	if err != nil {
		return err
	}
	if err := s.kernel.addMFC(r.SG, r.In, &out); err != nil {
		return meaning{syscall.ENFILE: ErrNoVIF}.explain(err)
	}
	if err := s.moved(r); err != nil {
		return err
	}
	s.forget(r.SG)
	s.routes[r.SG] = r
	s.vifs.use(r.vifs(), 1)
	return nil
}

// moved deletes the old entry of a wildcard that arrives elsewhere now: the kernel keeps one for each incoming VIF. If it
// cannot the new one goes, and the books are right still.
func (s *Socket) moved(r Route) error {
	old, ok := s.routes[r.SG]
	if !ok || !r.Wildcard() || old.In == r.In {
		return nil
	}
	if err := s.kernel.delMFC(r.SG, old.In); err != nil && !errors.Is(err, syscall.ENOENT) {
		return errors.Join(meaning{}.explain(err), s.kernel.delMFC(r.SG, r.In))
	}
	return nil
}

// DelRoute deletes a route. One that the kernel does not have, or has no more, counts as deleted.
func (s *Socket) DelRoute(k SG) error {
	key, err := k.plain()
	if err != nil {
		return fault("delete route", k, err)
	}
	if err := s.lock(); err != nil {
		return fault("delete route", key, err)
	}
	defer s.mu.Unlock()
	in := NoVIF
	if r, ok := s.routes[key]; ok {
		in = r.In
	}
	if err := s.kernel.delMFC(key, in); err != nil && !errors.Is(err, syscall.ENOENT) {
		return fault("delete route", key, meaning{}.explain(err))
	}
	s.forget(key)
	return nil
}

// forget takes a route out of the books.
func (s *Socket) forget(key SG) {
	if old, ok := s.routes[key]; ok {
		s.vifs.use(old.vifs(), -1)
		delete(s.routes, key)
		delete(s.hidden, key)
	}
}

// RouteCounters reads a route's counters. ErrNoRoute means that the kernel has no such route, or has lost it.
func (s *Socket) RouteCounters(k SG) (RouteCounters, error) {
	key, err := k.plain()
	if err != nil {
		return RouteCounters{}, fault("count route", k, err)
	}
	c, err := s.kernel.routeCounters(key)
	if err != nil {
		return RouteCounters{}, fault("count route", key, meaning{syscall.EADDRNOTAVAIL: ErrNoRoute}.explain(err))
	}
	return c, nil
}
