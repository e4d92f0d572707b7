//go:build linux

package main

import (
	"context"
	"math/rand/v2"
	"net/netip"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/fdstore/fdstoretest"
	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/internal/turmoil"
)

// kernelGroups are the groups that hosts want at one time or another, and that are sent all the time.
const kernelGroups = 8

func kernelGroup(n int) netip.Addr { return netip.AddrFrom4([4]byte{239, 9, 9, byte(n)}) }

// Hosts with real kernels join and leave, agents and switches are killed, streams come from outside all the
// time; in the end the uplink has joined what somebody wants and nothing else, and the kernel routes just that.
func TestWhateverHappensTheKernelAgreesInTheEnd(t *testing.T) {
	t.Parallel()
	r := newRouterLab(t, versions[1:]...) // an IGMPv1 host takes longer to answer than the intervals here are
	store, err := fdstoretest.Listen(filepath.Join(r.lab.Dir(), "notify"))
	require.NoError(t, err)
	defer store.Close()
	random := rand.New(rand.NewPCG(turmoil.Seed(t), 1))
	p := r.launch(store, routing...)
	ctx, stop := context.WithCancel(t.Context())
	sent := make(chan error, kernelGroups)
	for n := range kernelGroups {
		go func() {
			sent <- r.lab.Host("outside").Send(ctx, ovslab.Stream{To: kernelGroup(n), Packets: 100_000, Rate: 50})
		}()
	}
	hosts := map[string]map[int]*ovslab.Membership{"v2": {}, "v3": {}, "idle": {}}
	for end := time.Now().Add(soakTime(t) / 2); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		switch what := random.IntN(40); what {
		case 0:
			require.NoError(t, r.lab.RestartSwitch(within(t, 20*time.Second)))
		case 1:
			p.kill()
			p = r.launch(store, routing...)
		default:
			r.toggle(hosts[[]string{"v2", "v3", "idle"}[what%3]], []string{"v2", "v3", "idle"}[what%3], random.IntN(kernelGroups))
		}
	}
	wanted := make(map[string]bool)
	for _, memberships := range hosts {
		for n := range memberships {
			wanted[kernelGroup(n).String()] = true
		}
	}
	r.awaitKernel(wanted)
	stop()
	for range kernelGroups {
		<-sent
	}
}

// toggle has a host join a group, or leave it if it is a member.
func (r *rig) toggle(memberships map[int]*ovslab.Membership, host string, n int) {
	if m := memberships[n]; m != nil {
		delete(memberships, n)
		require.NoError(r.t, m.Leave())
		return
	}
	memberships[n] = r.join(host, kernelGroup(n))
}

// awaitKernel waits until the wanted groups, and no others, are joined on the uplink, routed to the bridge
// and on the switch.
func (r *rig) awaitKernel(wanted map[string]bool) {
	r.t.Helper()
	groups := regexp.MustCompile(`239\.9\.9\.\d+`)
	of := func(text string) []string {
		found := groups.FindAllString(text, -1)
		slices.Sort(found)
		return slices.Compact(found)
	}
	look := func() [3][]string {
		joined, err := r.lab.Node().Run(r.t.Context(), "ip", "-4", "maddr", "show", "dev", "up0")
		require.NoError(r.t, err)
		routes, err := r.lab.Node().Run(r.t.Context(), "ip", "mroute", "show")
		require.NoError(r.t, err)
		routed := ""
		for line := range strings.Lines(routes) {
			if strings.Contains(line, "Oifs: gw0") {
				routed += line
			}
		}
		flows, err := r.lab.Ofctl(r.t.Context(), "dump-flows", r.lab.Mgmt(), "table=101")
		require.NoError(r.t, err)
		return [3][]string{of(joined), of(routed), of(flows)}
	}
	var want []string
	for g := range wanted {
		want = append(want, g)
	}
	slices.Sort(want)
	is := look()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if is = look(); slices.Equal(is[0], want) && slices.Equal(is[1], want) && slices.Equal(is[2], want) {
			return
		}
	}
	require.Equal(r.t, [3][]string{want, want, want}, is, "joined, routed, on the switch")
}
