package web_test

import (
	"context"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/view"
	"github.com/ofmcast/ofmcast/examples/agent/web"
)

// hostile are texts that others choose: names of ports and bridges, errors that quote them.
var hostile = []string{
	`<script>document.title="owned"</script>`,
	`<img src=x onerror="document.title='owned'">`,
	`"><svg onload=document.title='owned'>`,
	`</script><script>document.title='owned'</script>`,
	"line\r\ndata: {\"kind\":\"forged\"}\n\n",
	"\u202egnp.exe", "\x1b[2Jcleared", "{{.}} ${document.title='owned'}", "javascript:document.title='owned'",
}

var now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// hostileState has a hostile text wherever there can be one.
func hostileState() view.State {
	s1, g := netip.MustParseAddr("198.51.100.1"), netip.MustParseAddr("233.252.0.1")
	s := view.State{
		Format: view.Format, At: now, Started: now.Add(-time.Hour), Bridge: hostile[0],
		Switch:  view.Switch{Connected: true, Connections: 1, GroupMods: 12},
		Querier: view.Querier{Self: true, Elected: "0.0.0.0", Interval: view.Seconds(125 * time.Second)},
		Totals:  view.Totals{Groups: 1, Members: len(hostile), Reports: 1234, Joins: 56, Leaves: 7, Denied: 3},
		Groups:  []view.Group{{Group: g, VLAN: 10, Rows: []view.Row{{OpenFlow: 1000, PerSecond: 5}, {Source: s1.String(), OpenFlow: 1001}}}},
		Routes:  []view.Route{{Source: s1, Group: g, In: hostile[1], Out: hostile, Packets: 99}},
	}
	for i, name := range hostile {
		s.Groups[0].Members = append(s.Groups[0].Members, view.Member{
			Port: uint32(i + 1), Name: name, Owner: "static " + name, Mode: "INCLUDE", IGMP: 2,
			Sources: []view.Source{{Addr: s1, Left: view.Seconds(time.Minute)}}, Left: view.Forever, Leaving: true,
		})
		s.Ports = append(s.Ports, view.Port{
			Number: uint32(i + 1), Name: name, Role: "member", VLANs: name, Groups: 1, IGMP: 2, LastQuery: &now,
			Hosts: []view.Host{{MAC: "02:00:00:00:00:01", Addr: s1, IGMP: 2, Last: now}},
		})
		s.Sinks = append(s.Sinks, view.Sink{Name: name, LastError: name, LastErrorAt: &now})
		s.Warnings = append(s.Warnings, view.Warning{Kind: view.WarnSink, Text: name})
	}
	s.Ports = append(s.Ports, view.Port{Number: 0xfffffffe, Name: "br0", Role: "bridge", Down: true, Hosts: []view.Host{}})
	for i := range 120 {
		s.Rates = append(s.Rates, view.Rate{At: now.Add(time.Duration(i) * time.Second), Changes: float64(i % 50), GroupMods: float64(i % 9)})
	}
	return s
}

// fake is a Source of one state, and of the events that it is given.
type fake struct {
	state view.State
	err   error

	mu     sync.Mutex
	events []view.Event
	more   chan struct{}
}

func newFake() *fake {
	f := &fake{state: hostileState(), more: make(chan struct{})}
	for i, text := range hostile {
		f.add(view.Event{At: now, Kind: "joined", Group: "233.252.0.1", Port: uint32(i + 1), Name: text, Text: text})
	}
	return f
}

func (f *fake) State(context.Context) (view.State, error) { return f.state, f.err }

func (f *fake) Events(after uint64) ([]view.Event, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]view.Event{}, f.events[min(after, uint64(len(f.events))):]...), f.more
}

func (f *fake) add(e view.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e.Seq = uint64(len(f.events)) + 1
	f.events = append(f.events, e)
	close(f.more)
	f.more = make(chan struct{})
}

// serve serves a Config until the test ends. Nobody waits for readers that are still there then.
func serve(t *testing.T, cfg web.Config) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(web.Handler(cfg))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		s.Client().CloseIdleConnections()
	})
	return s
}
