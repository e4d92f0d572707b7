package mroute

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
)

// ErrNotOwner: a descriptor that does not route the table it is said to.
var ErrNotOwner = errors.New("not the multicast router of this table")

// Handover ends the Socket as Close does, but the kernel keeps its VIFs and routes, and forwards, until the last copy of
// the file that is returned is closed. Another process takes it (exec.Cmd.ExtraFiles, systemd's descriptor store, or a
// UNIX socket) and continues with FromFile. Upcalls that were not read wait there; a Router reads none any more once its
// Run has ended, so that comes first.
//
// The file belongs to the caller. Errors: os.ErrClosed after Close, or another Handover.
func (s *Socket) Handover() (*os.File, error) {
	f, err := s.kernel.file()
	if err != nil {
		return nil, fault("hand over", "", err)
	}
	first := false
	s.end(func() error {
		first = true
		return s.kernel.release()
	})
	if !first {
		return nil, fault("hand over", "", errors.Join(os.ErrClosed, f.Close()))
	}
	return f, nil
}

// FromFile makes a Socket of what Handover gave, mostly in another process. The books are the kernel's: Routes and VIFs
// are those that it has. The calling thread has to be in the same network namespace, and cfg.Table to be the same.
// It makes a copy of the descriptor; closing f is up to the caller, and changes nothing.
//
// Errors: ErrNotOwner, ErrPermission, errors.ErrUnsupported before Linux 4.13.
func FromFile(f *os.File, cfg Config) (*Socket, error) {
	k, err := adoptKernel(f, cfg)
	if err != nil {
		return nil, fault("take over", "", meaning{syscall.ENOPROTOOPT: ErrNotOwner}.explain(err))
	}
	s := newSocket(k)
	s.table = cfg.table()
	if err := s.adopt(); err != nil {
		return nil, fault("take over", "", errors.Join(err, k.release()))
	}
	return s, nil
}

// adopt fills the books from what the kernel has.
func (s *Socket) adopt() error {
	vifs, err := s.VIFs()
	if err != nil {
		return err
	}
	for _, v := range vifs {
		if v.VIF < MaxVIFs && !v.Static {
			s.setVIF(v.VIF, v.Index)
		}
	}
	if err := s.checkTable(vifs); err != nil {
		return err
	}
	routes, err := s.Dump()
	for _, k := range routes {
		if !k.Unresolved && !k.Static {
			s.adoptRoute(k.Route())
		}
	}
	return err
}

// checkTable finds out whether these are the VIFs of the descriptor's own table: the kernel does not tell which it is.
func (s *Socket) checkTable(vifs []KernelVIF) error {
	var have vifSet
	for _, v := range vifs {
		if v.VIF < MaxVIFs {
			have |= 1 << v.VIF
		}
	}
	for v := range VIF(MaxVIFs) {
		_, err := s.kernel.vifCounters(v)
		switch {
		case err != nil && !errors.Is(noVIFCounters.explain(err), ErrNoVIF):
			return err
		case (err == nil) != have.has(v):
			return fmt.Errorf("%w: it has other VIFs", ErrNotOwner)
		}
	}
	return nil
}

// adoptRoute books a route. The kernel does not tell of outgoing VIFs whose interfaces have vanished.
func (s *Socket) adoptRoute(r Route) {
	if r.In >= MaxVIFs {
		_ = s.kernel.delMFC(r.key(), NoVIF) // nothing can arrive there
		return
	}
	r.Out = slices.DeleteFunc(r.Out, func(h Hop) bool { return h.VIF >= MaxVIFs })
	e := r.entry()
	e.adopted = true
	s.routes[r.key()] = e
	s.vifs.use(e.vifs, 1)
}

// reveal makes the routes that were taken over name no VIFs but those in the books, before a number is given out that one
// of them might name.
func (s *Socket) reveal() error {
	registered := vifSet(s.registered.Load())
	for key, e := range s.routes {
		if !e.adopted {
			continue
		}
		reshape := s.drop
		if registered.has(e.in) {
			reshape = func(k mfcKey) error { return s.put(k, e.within(registered)) }
		}
		if err := reshape(key); err != nil {
			return err
		}
	}
	return nil
}
