package mroute

import (
	"context"
	"maps"
	"os"
	"slices"
	"syscall"
)

// fakeKernel is a kernel that fails when told to. It behaves like the real one otherwise.
type fakeKernel struct {
	vifs     map[VIF]IfIndex
	routes   map[SG]fakeRoute
	wild     map[wildcard]ttls
	counters map[SG]RouteCounters
	rules    map[fibRule]bool
	fail     map[string]error // by method
	calls    []string
	messages chan []byte
	changes  chan Change
	noPIM    bool // no upcall tells of packets at the wrong interface
}

// wildcard is the key of (*,G) and (*,*).
type wildcard struct {
	SG
	in VIF
}

type fakeRoute struct {
	in     VIF
	out    ttls
	static bool // somebody else made it
}

func newFake() *fakeKernel {
	return &fakeKernel{
		vifs: map[VIF]IfIndex{}, routes: map[SG]fakeRoute{}, wild: map[wildcard]ttls{},
		counters: map[SG]RouteCounters{}, rules: map[fibRule]bool{}, fail: map[string]error{},
		messages: make(chan []byte, 16), changes: make(chan Change, 16),
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

func (k *fakeKernel) addRegister(VIF) error { return k.failing("addRegister") }

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

func (k *fakeKernel) addMFC(key mfcKey, in VIF, out ttls) error {
	sg := key.sg()
	if err := k.failing("addMFC"); err != nil {
		return err
	}
	if sg.Wildcard() {
		k.wild[wildcard{sg, in}] = out
		return nil
	}
	k.routes[sg] = fakeRoute{in, out, k.routes[sg].static}
	return nil
}

func (k *fakeKernel) delMFC(key mfcKey, in VIF) error {
	sg := key.sg()
	if err := k.failing("delMFC"); err != nil {
		return err
	}
	if sg.Wildcard() {
		if _, ok := k.wild[wildcard{sg, in}]; !ok {
			return syscall.ENOENT
		}
		delete(k.wild, wildcard{sg, in})
		return nil
	}
	if _, ok := k.routes[sg]; !ok {
		return syscall.ENOENT
	}
	delete(k.routes, sg)
	return nil
}

func (k *fakeKernel) routeCounters(key mfcKey) (RouteCounters, error) {
	sg := key.sg()
	if err := k.failing("routeCounters"); err != nil {
		return RouteCounters{}, err
	}
	if _, ok := k.routes[sg]; !ok {
		return RouteCounters{}, syscall.EADDRNOTAVAIL
	}
	return k.counters[sg], nil
}

func (k *fakeKernel) vifCounters(v VIF) (VIFCounters, error) {
	if err := k.failing("vifCounters"); err != nil {
		return VIFCounters{}, err
	}
	if k.vifs[v] == 0 {
		return VIFCounters{}, syscall.EADDRNOTAVAIL
	}
	return VIFCounters{}, nil
}

func (k *fakeKernel) flush(what Flush) error {
	if err := k.failing("flush"); err != nil {
		return err
	}
	if what&FlushRoutes != 0 {
		clear(k.routes)
		clear(k.wild)
		clear(k.counters)
	}
	if what&FlushVIFs != 0 {
		clear(k.vifs)
	}
	return nil
}

func (k *fakeKernel) version() (int, error) { return 0x0305, k.failing("version") }

func (k *fakeKernel) tellsWrongVIF() bool { return !k.noPIM }

func (k *fakeKernel) dumpVIFs() ([]KernelVIF, error) {
	if err := k.failing("dumpVIFs"); err != nil {
		return nil, err
	}
	var out []KernelVIF
	for v, i := range k.vifs {
		out = append(out, KernelVIF{Port: Port{v, i}})
	}
	return out, nil
}

func (k *fakeKernel) dumpRoutes() ([]KernelRoute, error) {
	if err := k.failing("dumpRoutes"); err != nil {
		return nil, err
	}
	var out []KernelRoute
	for sg, r := range k.routes {
		out = append(out, k.tell(sg, r))
	}
	for w, out2 := range k.wild {
		out = append(out, k.tell(w.SG, fakeRoute{in: w.in, out: out2}))
	}
	return out, nil
}

func (k *fakeKernel) route(key mfcKey) (KernelRoute, error) {
	sg := key.sg()
	if err := k.failing("route"); err != nil {
		return KernelRoute{}, err
	}
	r, ok := k.routes[sg]
	if !ok {
		return KernelRoute{}, syscall.ENOENT
	}
	return k.tell(sg, r), nil
}

// tell is an entry as netlink has it: interfaces that exist, without numbers.
func (k *fakeKernel) tell(sg SG, r fakeRoute) KernelRoute {
	kr := KernelRoute{SG: sg, In: Port{NoVIF, k.vifs[r.in]}, Counters: k.counters[sg], Static: r.static}
	for v, ttl := range r.out {
		if i := k.vifs[VIF(v)]; i != 0 && ttl != 0 {
			kr.Out = append(kr.Out, KernelHop{Port{NoVIF, i}, ttl})
		}
	}
	return kr
}

func (k *fakeKernel) fibRules() ([]fibRule, error) {
	return slices.Collect(maps.Keys(k.rules)), k.failing("fibRules")
}

func (k *fakeKernel) addRule(r fibRule) error {
	if err := k.failing("addRule"); err != nil {
		return err
	}
	k.rules[r] = true
	return nil
}

func (k *fakeKernel) delRule(r fibRule) error {
	if err := k.failing("delRule"); err != nil {
		return err
	}
	if !k.rules[r] {
		return syscall.ENOENT
	}
	delete(k.rules, r)
	return nil
}

func (k *fakeKernel) watch() (routeSource, error) { return fakeChanges(k.changes), k.failing("watch") }

type fakeChanges chan Change

func (c fakeChanges) next(ctx context.Context) (Change, error) {
	select {
	case x := <-c:
		return x, nil
	case <-ctx.Done():
		return Change{}, ctx.Err()
	}
}

func (c fakeChanges) close() error { return nil }

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

func (k *fakeKernel) file() (*os.File, error) { return nil, k.failing("file") }

func (k *fakeKernel) close() error { return k.release() }

func (k *fakeKernel) release() error {
	close(k.messages)
	return nil
}
