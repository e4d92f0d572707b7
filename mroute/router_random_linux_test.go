package mroute

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// flaky is a real kernel some of whose calls fail: either nothing was done, or it was and the answer is an error all the
// same.
type flaky struct {
	kernel
	mu     sync.Mutex
	random *rand.Rand
	share  float64
}

var errFlaky = errors.New("injected")

func (k *flaky) try(f func() error) error {
	k.mu.Lock()
	fails, before := k.random.Float64() < k.share, k.random.IntN(2) == 0
	k.mu.Unlock()
	if fails && before {
		return syscall.ENOBUFS
	}
	err := f()
	if fails && err == nil {
		return errFlaky
	}
	return err
}

func (k *flaky) stop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.share = 0
}

func (k *flaky) addMFC(sg mfcKey, in VIF, out ttls) error {
	return k.try(func() error { return k.kernel.addMFC(sg, in, out) })
}

func (k *flaky) delMFC(sg mfcKey, in VIF) error {
	return k.try(func() error { return k.kernel.delMFC(sg, in) })
}

func (k *flaky) addVIF(v VIF, i IfIndex) error {
	return k.try(func() error { return k.kernel.addVIF(v, i) })
}

func (k *flaky) delVIF(v VIF) error {
	return k.try(func() error { return k.kernel.delVIF(v) })
}

func (k *flaky) routeCounters(sg mfcKey) (c RouteCounters, err error) {
	err = k.try(func() (err error) { c, err = k.kernel.routeCounters(sg); return err })
	return c, err
}

func (k *flaky) dumpRoutes() (r []KernelRoute, err error) {
	err = k.try(func() (err error) { r, err = k.kernel.dumpRoutes(); return err })
	return r, err
}

func (k *flaky) dumpVIFs() (v []KernelVIF, err error) {
	err = k.try(func() (err error) { v, err = k.kernel.dumpVIFs(); return err })
	return v, err
}

// ipMroute is what "ip mroute show" says, a line a route in the form of Entry.String.
func ipMroute(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("ip", "-j", "mroute", "show").Output()
	require.NoError(t, err)
	var routes []struct {
		Src, Dst, Iif, State string
		Multipath            []struct{ Oif string }
	}
	require.NoError(t, json.Unmarshal(out, &routes))
	var lines []string
	for _, r := range routes {
		var to []string
		for _, m := range r.Multipath {
			to = append(to, m.Oif)
		}
		if r.State == "resolved" {
			lines = append(lines, routeLine(r.Src, r.Dst, r.Iif, to))
		}
	}
	slices.Sort(lines)
	return lines
}

func routeLine(source, group, in string, out []string) string {
	out = slices.Sorted(slices.Values(out))
	return strings.TrimSpace(fmt.Sprintf("(%s, %s) %s > %s", source, group, in, strings.Join(out, " ")))
}

func listed(t *testing.T, r *Router) []string {
	t.Helper()
	var lines []string
	for _, e := range status(t, r).Entries {
		lines = append(lines, routeLine(e.Source.String(), e.Group.String(), e.In, e.Out))
	}
	slices.Sort(lines)
	return lines
}

// shaker does random things to a Router and to the kernel below it.
type shaker struct {
	*rand.Rand
	w    wishes
	s    *Socket
	r    *Router
	real *routingSocket
}

const (
	shakerPorts  = 6 // d0 to d5; the first three are inputs
	shakerInputs = 3
)

func (k *shaker) stream() SG {
	return SG{netip.AddrFrom4([4]byte{10, 0, 1, byte(1 + k.IntN(5))}), netip.AddrFrom4([4]byte{233, 252, 0, byte(k.IntN(12))})}
}

func (k *shaker) port(n int) string { return fmt.Sprintf("d%d", k.IntN(n)) }

// upcall tells the Router of a packet at an interface, if it has a VIF.
func (k *shaker) upcall(t *testing.T, kind UpcallKind, in string, sg SG) {
	t.Helper()
	require.NoError(t, k.r.do(t.Context(), func(c *core, now time.Time) {
		if v, ok := k.s.VIFOf(c.links[in]); ok {
			c.upcall(&Upcall{Kind: kind, VIF: v, SG: sg}, now)
		}
	}))
}

func (k *shaker) step(t *testing.T) {
	switch n := k.IntN(100); {
	case n < 40:
		k.upcall(t, NoCache, k.port(shakerInputs), k.stream())
	case n < 70:
		sg := k.stream()
		var to []string
		for range k.IntN(4) {
			to = append(to, k.port(shakerPorts))
		}
		k.w.set(sg.Group.String(), to...)
		_ = k.r.Refresh(t.Context(), sg.Group) // what is injected is tried again
	case n < 80:
		k.upcall(t, WrongVIF, k.port(shakerInputs), k.stream())
	case n < 90:
		_ = k.real.delMFC(k.stream().key(), NoVIF)
	case n < 93:
		sg := k.stream()
		_ = k.real.addMFC(sg.key(), VIF(k.IntN(4)), ttls{byte(k.IntN(3)), byte(k.IntN(3))})
		// Only what the Router knows is its business.
		require.NoError(t, k.r.do(t.Context(), func(c *core, _ time.Time) {
			if c.flows[sg] == nil {
				_ = k.real.delMFC(sg.key(), NoVIF)
			}
		}))
	case n < 95:
		require.NoError(t, k.real.flush(FlushRoutes))
	case n < 96:
		require.NoError(t, k.real.flush(FlushVIFs))
	default:
		k.flap(t)
	}
}

// flap takes an interface down and up, renames it, or makes it again with another index.
func (k *shaker) flap(t *testing.T) {
	name := k.port(shakerPorts)
	switch k.IntN(3) {
	case 0:
		ip(t, "link set "+name+" down", "link set "+name+" up")
	case 1:
		ip(t, "link set "+name+" down", "link set "+name+" name away", "link set away name "+name, "link set "+name+" up")
	default:
		far := "nowhere" + name[1:]
		ip(t, "link del "+name, "link add "+name+" type veth peer name "+far, "link set "+far+" up", "link set "+name+" up")
	}
}

func TestListIsWhatTheKernelHasAfterAThousandRandomOperations(t *testing.T) {
	t.Parallel()
	for name, share := range map[string]float64{"all succeed": 0, "a fifth fails": 0.2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			enterNamespace(t)
			dummies(t, shakerPorts)
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			s := open(t)
			k := &shaker{Rand: rand.New(rand.NewPCG(seed, 0)), s: s, real: s.kernel.(*routingSocket)}
			fails := &flaky{kernel: s.kernel, random: rand.New(rand.NewPCG(seed, 1)), share: share}
			s.kernel = fails
			cfg := RouterConfig{Policy: k.w.policy, Tick: 50 * time.Millisecond, MoveAfter: 100 * time.Millisecond, StaleAfter: time.Hour, NegativeAfter: time.Hour}
			for n := range shakerInputs {
				cfg.Inputs = append(cfg.Inputs, fmt.Sprintf("d%d", n))
			}
			k.r = run(t, s, cfg)
			for range 4 {
				for range 250 {
					k.step(t)
				}
				if share == 0 {
					until(t, func() bool { return slices.Equal(listed(t, k.r), ipMroute(t)) })
				}
			}
			fails.stop()
			until(t, func() bool { return slices.Equal(listed(t, k.r), ipMroute(t)) && settled(t, k.r) })
			require.NotEmpty(t, ipMroute(t))
			require.NotZero(t, status(t, k.r).Stats.Lost)
			if share > 0 {
				require.NotZero(t, status(t, k.r).Stats.Failed)
			}
		})
	}
}

// settled says that nothing is pending, and that every stream leaves where it is wished.
func settled(t *testing.T, r *Router) bool {
	ok := true
	require.NoError(t, r.do(t.Context(), func(c *core, _ time.Time) {
		for _, f := range c.flows {
			want := map[string]bool{}
			for _, o := range f.decision.Out {
				if o.Interface != f.in {
					want[o.Interface] = true
				}
			}
			ok = ok && !f.pending && len(want) == len(f.out)
		}
	}))
	return ok
}
