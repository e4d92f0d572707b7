package mroute

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"syscall"
)

// AddVIF gives the interface the lowest VIF number that is free. Packets are routed to and from interfaces with a VIF
// only, and only they cause upcalls. A number is free when it was never given, or was deleted and no route names it any
// more. Errors: ErrVIFExists, with the number that the interface has; ErrTableFull; ErrNoInterface.
func (s *Socket) AddVIF(i IfIndex) (VIF, error) {
	if err := i.check(); err != nil {
		return 0, fault("add VIF", i, err)
	}
	if err := s.lock(); err != nil {
		return 0, fault("add VIF", i, err)
	}
	defer s.mu.Unlock()
	if v, ok := s.vifs.of(i); ok {
		return v, fault("add VIF", i, fmt.Errorf("%w: %v", ErrVIFExists, v))
	}
	if err := s.reveal(); err != nil {
		return 0, fault("add VIF", i, err)
	}
	v, err := s.firstFree(func(v VIF) error { return s.kernel.addVIF(v, i) })
	if err != nil {
		return 0, fault("add VIF", i, meaning{syscall.EADDRNOTAVAIL: ErrNoInterface, syscall.ENODEV: ErrNoInterface}.explain(err))
	}
	s.setVIF(v, i)
	return v, nil
}

// firstFree calls add with numbers that are free until the kernel takes one. Those that it does not were made by somebody
// else with the right to, and are left alone.
func (s *Socket) firstFree(add func(VIF) error) (VIF, error) {
	for v := range VIF(MaxVIFs) {
		if !s.vifs.free(v) {
			continue
		}
		if err := add(v); !errors.Is(err, syscall.EADDRINUSE) {
			return v, err
		}
	}
	return 0, ErrTableFull
}

// AddRegisterVIF makes the VIF of PIM's register interface, pimreg, which the kernel makes with it. Packets that a route
// sends there are not sent, but come back whole, as WholePkt upcalls. A table has one at most. Errors: ErrVIFExists,
// ErrTableFull, errors.ErrUnsupported for a kernel without PIM.
func (s *Socket) AddRegisterVIF() (VIF, error) {
	v, err := s.addRegisterVIF()
	return v, fault("add register VIF", "", err)
}

func (s *Socket) addRegisterVIF() (VIF, error) {
	if err := s.lock(); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	if err := s.reveal(); err != nil {
		return 0, err
	}
	there, err := s.registerVIF()
	if err != nil || there.Index != 0 {
		return there.VIF, errors.Join(err, ErrVIFExists)
	}
	v, err := s.firstFree(s.kernel.addRegister)
	if err != nil {
		return 0, meaning{syscall.EINVAL: errors.ErrUnsupported}.explain(err)
	}
	if there, err = s.registerVIF(); err != nil {
		return 0, errors.Join(err, s.kernel.delVIF(v))
	}
	s.setVIF(v, there.Index)
	return v, nil
}

// registerVIF asks the kernel for the register VIF. It has no interface if there is none.
func (s *Socket) registerVIF() (KernelVIF, error) {
	vifs, err := s.kernel.dumpVIFs()
	if i := slices.IndexFunc(vifs, func(v KernelVIF) bool { return v.Register }); i >= 0 {
		return vifs[i], err
	}
	return KernelVIF{}, err
}

// DelVIF deletes a VIF. When its interface vanished the kernel did it already, and that counts as done. The number is
// not given out again before every route that names it is replaced or deleted. Error: ErrNoVIF.
func (s *Socket) DelVIF(v VIF) error {
	if err := s.lock(); err != nil {
		return fault("delete VIF", v, err)
	}
	defer s.mu.Unlock()
	if !s.vifs.registered().has(v) {
		return fault("delete VIF", v, ErrNoVIF)
	}
	if err := s.kernel.delVIF(v); err != nil && !errors.Is(err, syscall.EADDRNOTAVAIL) {
		return fault("delete VIF", v, meaning{}.explain(err))
	}
	s.setVIF(v, 0)
	return nil
}

func (s *Socket) setVIF(v VIF, i IfIndex) {
	s.vifs.index[v] = i
	s.registered.Store(uint32(s.vifs.registered()))
}

// VIFOf finds the VIF of an interface.
func (s *Socket) VIFOf(i IfIndex) (VIF, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i.check() != nil {
		return 0, false
	}
	return s.vifs.of(i)
}

// Interface finds the interface of a VIF.
func (s *Socket) Interface(v VIF) (IfIndex, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v >= MaxVIFs {
		return 0, false
	}
	return s.vifs.index[v], s.vifs.index[v] != 0
}

// numbers are the VIFs by interface.
func (s *Socket) numbers() map[IfIndex]VIF {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[IfIndex]VIF)
	for v, i := range s.vifs.index {
		if i != 0 {
			out[i] = VIF(v)
		}
	}
	return out
}

// VIFCounters reads a VIF's counters. Error: ErrNoVIF, also when the VIF's interface has vanished.
func (s *Socket) VIFCounters(v VIF) (VIFCounters, error) {
	if !vifSet(s.registered.Load()).has(v) {
		return VIFCounters{}, fault("count VIF", v, ErrNoVIF)
	}
	c, err := s.kernel.vifCounters(v)
	if err != nil {
		return VIFCounters{}, fault("count VIF", v, noVIFCounters.explain(err))
	}
	return c, nil
}

// noVIFCounters is what the kernel says of a number that is not used, and of one above all that are.
var noVIFCounters = meaning{syscall.EADDRNOTAVAIL: ErrNoVIF, syscall.EINVAL: ErrNoVIF}

// idle are the VIFs that no route names.
func (s *Socket) idle() iter.Seq[VIF] {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []VIF
	for v := range VIF(MaxVIFs) {
		if s.vifs.index[v] != 0 && s.vifs.users[v] == 0 {
			out = append(out, v)
		}
	}
	return slices.Values(out)
}
