package mroute

import (
	"context"
	"os"
	"syscall"
)

// fakeKernel is a kernel that fails when told to. It behaves like the real one otherwise.
type fakeKernel struct {
	vifs     map[VIF]IfIndex
	routes   map[SG]fakeRoute
	counters map[SG]RouteCounters
	fail     map[string]error // by method
	calls    []string
	messages chan []byte
}

type fakeRoute struct {
	in  VIF
	out ttls
}

func newFake() *fakeKernel {
	return &fakeKernel{
		vifs: map[VIF]IfIndex{}, routes: map[SG]fakeRoute{}, counters: map[SG]RouteCounters{}, fail: map[string]error{},
		messages: make(chan []byte, 16),
	}
}

// failing notes the call, and says how it ends.
func (k *fakeKernel) failing(method string) error {
	k.calls = append(k.calls, method)
	return k.fail[method]
}

func (k *fakeKernel) addVIF(v VIF, i IfIndex) error {
	if err := k.failing("addVIF"); err != nil {
		return err
	}
	if k.vifs[v] != 0 {
		return syscall.EADDRINUSE
	}
	k.vifs[v] = i
	return nil
}

func (k *fakeKernel) delVIF(v VIF) error {
	if err := k.failing("delVIF"); err != nil {
		return err
	}
	if k.vifs[v] == 0 {
		return syscall.EADDRNOTAVAIL
	}
	delete(k.vifs, v)
	return nil
}

func (k *fakeKernel) addMFC(sg SG, in VIF, out *ttls) error {
	if err := k.failing("addMFC"); err != nil {
		return err
	}
	k.routes[sg] = fakeRoute{in, *out}
	return nil
}

func (k *fakeKernel) delMFC(sg SG) error {
	if err := k.failing("delMFC"); err != nil {
		return err
	}
	if _, ok := k.routes[sg]; !ok {
		return syscall.ENOENT
	}
	delete(k.routes, sg)
	return nil
}

func (k *fakeKernel) routeCounters(sg SG) (RouteCounters, error) {
	if err := k.failing("routeCounters"); err != nil {
		return RouteCounters{}, err
	}
	if _, ok := k.routes[sg]; !ok {
		return RouteCounters{}, syscall.EADDRNOTAVAIL
	}
	return k.counters[sg], nil
}

func (k *fakeKernel) vifCounters(VIF) (VIFCounters, error) {
	return VIFCounters{}, k.failing("vifCounters")
}

func (k *fakeKernel) read(ctx context.Context, b []byte) (int, error) {
	select {
	case m, ok := <-k.messages:
		if !ok {
			return 0, os.ErrClosed
		}
		return copy(b, m), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (k *fakeKernel) close() error {
	close(k.messages)
	return nil
}
