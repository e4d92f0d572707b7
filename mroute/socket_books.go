package mroute

// What a Router asks its Socket's books.

// has says that the books have this very route.
func (s *Socket) has(r Route) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	have, ok := s.routes[r.key()]
	want := r.entry()
	return ok && have.same(&want)
}

// agrees says that an entry of the kernel is as the books have it. Interfaces are compared, not VIF numbers: the kernel
// tells of interfaces. Where the books name one that has vanished the kernel tells nothing.
func (s *Socket) agrees(k *KernelRoute) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.routes[k.key()]
	if !ok || k.Static || s.vifs.index[e.in] != k.In.Index {
		return false
	}
	left := e.within(vifSet(s.registered.Load())).out
	for _, h := range k.Out {
		v, ok := s.vifs.of(h.Index)
		if !ok || left[v] != h.TTL {
			return false
		}
		left[v] = 0
	}
	return left == ttls{}
}

// ask tells what the kernel has of one route now, nil if it does not say.
func (s *Socket) ask(k SG) *KernelRoute {
	have, err := s.kernel.route(k.key())
	if err != nil {
		return nil
	}
	have.number(s.numbers())
	return &have
}

// regain makes a VIF that the kernel has lost again, under its number.
func (s *Socket) regain(v VIF) error {
	if err := s.lock(); err != nil {
		return fault("add VIF", v, err)
	}
	defer s.mu.Unlock()
	return fault("add VIF", v, s.kernel.addVIF(v, s.vifs.index[v]))
}

// disown forgets the VIFs whose interfaces are gone.
func (s *Socket) disown(gone func(IfIndex) bool) {
	if s.lock() != nil {
		return
	}
	defer s.mu.Unlock()
	for v, i := range s.vifs.index {
		if i != 0 && gone(i) {
			_ = s.kernel.delVIF(VIF(v)) // mostly the kernel did it already
			s.setVIF(VIF(v), 0)
		}
	}
}
