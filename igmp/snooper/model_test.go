package snooper

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// shown is one sign of one router on one port in one VLAN.
type shown struct {
	vlan uint16
	port Port
	from netip.Addr
	what string
}

// model is the router ports as one would write them down on paper.
type model struct {
	now   time.Time
	roles map[Port]Role
	until map[shown]time.Time
}

func (m *model) routerPorts(v uint16) []Port {
	found := map[Port]bool{}
	for p, role := range m.roles {
		if role == Router {
			found[p] = true
		}
	}
	for sh, until := range m.until {
		if sh.vlan == v && until.After(m.now) {
			found[sh.port] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func (m *model) learns(p Port) bool { return m.roles[p] == Auto || m.roles[p] == Trusted }

func (m *model) forget(match func(shown) bool) {
	maps.DeleteFunc(m.until, func(sh shown, _ time.Time) bool { return match(sh) })
}

// Any order of signs, goodbyes, roles, removals and passing time gives the router ports of the model.
func TestRouterPortsAgreeWithAModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := New(Config{})
		m := &model{now: t0, roles: map[Port]Role{}, until: map[shown]time.Time{}}
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			step(t, rt, s, m)
			for _, v := range []uint16{0, 10} {
				require.Equal(rt, fmt.Sprint(m.routerPorts(v)), fmt.Sprint(routerPorts(s, VLAN(v))))
			}
			if next, waiting := s.Next(); waiting {
				require.True(rt, next.After(m.now), "nothing is overdue")
			}
		}
	})
}

func step(t *testing.T, rt *rapid.T, s *Snooper, m *model) {
	port := Port(rapid.IntRange(1, 4).Draw(rt, "port"))
	sh := shown{
		vlan: rapid.SampledFrom([]uint16{0, 10}).Draw(rt, "vlan"), port: port,
		from: rapid.SampledFrom(addrs("192.0.2.1", "192.0.2.2")).Draw(rt, "from"),
	}
	switch rapid.SampledFrom([]string{"query", "query", "MRD", "MRD", "termination", "role", "remove", "time", "time"}).Draw(rt, "op") {
	case "query":
		sh.what = "query"
		m.show(sh, 255*time.Second)
		s.Frame(port, frameOf(t, sh.from, generalQuery(), sh.vlan), m.now)
	case "MRD":
		sh.what = "MRD"
		interval := rapid.Uint8Range(4, 180).Draw(rt, "interval")
		m.show(sh, 3*time.Duration(interval)*time.Second)
		s.Frame(port, frameOf(t, sh.from, advertisement(interval), sh.vlan), m.now)
	case "termination":
		if m.learns(port) {
			m.forget(func(o shown) bool { return o.vlan == sh.vlan && o.port == port && o.from == sh.from })
		}
		s.Frame(port, frameOf(t, sh.from, termination(), sh.vlan), m.now)
	case "role":
		role := Role(rapid.IntRange(0, 3).Draw(rt, "role"))
		if role != m.roles[port] {
			m.forget(func(o shown) bool { return o.port == port })
		}
		m.roles[port] = role
		s.SetRole(port, role)
	case "remove":
		m.forget(func(o shown) bool { return o.port == port })
		delete(m.roles, port)
		s.RemovePort(port)
	case "time":
		m.now = m.now.Add(time.Duration(rapid.IntRange(0, 200).Draw(rt, "seconds")) * time.Second)
		s.Advance(m.now)
	}
}

func (m *model) show(sh shown, lifetime time.Duration) {
	if m.learns(sh.port) {
		m.until[sh] = m.now.Add(lifetime)
	}
}
