package snooper

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

// dissection is what tshark says of a packet, as far as a snooper acts on it.
type dissection struct {
	EthSrc string `json:"eth_src"`
	IP     struct{ Src string }
	IGMP   struct {
		Version uint8
		Type    string
		Group   string
		Sources []string
		Records []struct {
			Type    igmp.RecordType
			Group   string
			Sources []string
		}
	}
}

func dissections(tb testing.TB, capture string) (all []dissection) {
	tb.Helper()
	for line := range bytes.Lines(readCapture(tb, capture+".expect.jsonl")) {
		var d dissection
		require.NoError(tb, json.Unmarshal(line, &d))
		all = append(all, d)
	}
	return all
}

// statement is one record, comparable, as tshark's facts and the rules of the protocol give it.
type statement struct {
	Packet  int
	Host    string
	MAC     string
	Version uint8
	Kind    igmp.RecordType
	Group   string
	Sources string
}

// statements translates a packet, by rules written for this test alone.
func (d *dissection) statements(n int, ssm bool) (all []statement) {
	add := func(kind igmp.RecordType, group string, sources []string) {
		a := addr(group)
		inSSM := ssm && a.As4()[0] == 232
		excludes := kind == igmp.IsEx || kind == igmp.ToEx
		if netip.MustParsePrefix("224.0.0.0/24").Contains(a) || inSSM && (d.IGMP.Version < 3 || excludes) {
			return
		}
		all = append(all, statement{n, d.IP.Src, d.EthSrc, d.IGMP.Version, kind, group, fmt.Sprint(addrs(sources...))})
	}
	switch d.IGMP.Type {
	case "0x12", "0x16":
		add(igmp.IsEx, d.IGMP.Group, nil)
	case "0x17":
		add(igmp.ToIn, d.IGMP.Group, nil)
	case "0x22":
		for _, r := range d.IGMP.Records {
			add(r.Type, r.Group, r.Sources)
		}
	}
	return all
}

// ports numbers MAC addresses in the order first seen.
type ports map[igmp.MAC]Port

func (p ports) of(frame []byte) Port {
	mac := igmp.MAC(frame[6:])
	if _, seen := p[mac]; !seen {
		p[mac] = Port(len(p) + 1)
	}
	return p[mac]
}

func TestCapturesOfRealHostsGiveTheRecordsThatTsharkSees(t *testing.T) {
	for _, capture := range []string{"kernel-v1", "kernel-v2", "kernel-v3", "mixed", "storm"} {
		for _, ssm := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s SSM %v", capture, ssm), func(t *testing.T) {
				var cfg Config
				if !ssm {
					cfg.SSM = []netip.Prefix{}
				}
				frames, expected := packets(t, capture), dissections(t, capture)
				require.Len(t, frames, len(expected))
				s, ports := New(cfg), ports{}
				var got, want []statement
				for i, p := range frames {
					port := ports.of(p.Data)
					r := s.Frame(port, p.Data, p.Time)
					require.Zero(t, r.VLAN)
					for _, rec := range r.Records {
						require.Equal(t, p.Time, rec.At)
						require.Equal(t, port, rec.Port)
						got = append(got, statement{
							i, rec.Host.Addr.String(), rec.Host.MAC.String(), rec.Version, rec.Kind,
							rec.Group.String(), fmt.Sprint(slices.Clone(rec.Sources)),
						})
					}
					want = append(want, expected[i].statements(i, ssm)...)
					checkQuery(t, &expected[i], r)
				}
				require.NotEmpty(t, want)
				require.Empty(t, cmp.Diff(want, got))
				counters := s.Counters()
				require.Equal(t, uint64(len(frames)), counters.Frames.Total())
				require.Equal(t, uint64(len(want)), counters.Records[AcceptedReport])
			})
		}
	}
}

func checkQuery(t *testing.T, d *dissection, r Result) {
	t.Helper()
	require.Equal(t, d.IGMP.Type == "0x11", r.Query != nil)
	if q := r.Query; q != nil {
		require.Equal(t, AcceptedQuery, r.Verdict)
		require.Equal(t, ForwardAll, r.Forward)
		require.Equal(t, d.IGMP.Version, q.Version)
		require.Equal(t, d.IGMP.Group, q.Group.String())
		require.Equal(t, d.IP.Src, q.Host.Addr.String())
		require.Equal(t, d.EthSrc, q.Host.MAC.String())
		require.Equal(t, fmt.Sprint(addrs(d.IGMP.Sources...)), fmt.Sprint(slices.Clone(q.Sources)))
	}
}

// In kernel-v3 a bridge queries from 0.0.0.0 at first, 23 s later from an address of its own; a router daemon on host e
// (02:..:05) sends router advertisements, one in 20 s.
func TestRouterPortsOfARealCapture(t *testing.T) {
	s, ports := New(Config{}), ports{}
	frames := packets(t, "kernel-v3")
	start := frames[0].Time
	bridge, daemon := igmp.MAC{2, 0, 0, 0, 0xfe, 0xfe}, igmp.MAC{2, 0, 0, 0, 0, 5}
	var firstQuery, bridgeLearnt, daemonLearnt time.Duration
	for _, p := range frames {
		r := s.Frame(ports.of(p.Data), p.Data, p.Time)
		since := p.Time.Sub(start)
		note := func(first *time.Duration, seen bool) {
			if *first == 0 && seen {
				*first = since
			}
		}
		found := routerPorts(s, 0)
		note(&firstQuery, r.Query != nil)
		note(&bridgeLearnt, slices.Contains(found, ports[bridge]))
		note(&daemonLearnt, slices.Contains(found, ports[daemon]))
	}
	require.Less(t, firstQuery, 3*time.Second)
	require.Greater(t, bridgeLearnt, 22*time.Second, "not while it queries from 0.0.0.0")
	require.Less(t, bridgeLearnt, 30*time.Second)
	require.NotZero(t, daemonLearnt)
	require.Len(t, routerPorts(s, 0), 2, "and nobody else")

	last := frames[len(frames)-1].Time
	s.Advance(last.Add(61 * time.Second))
	require.Equal(t, []Port{ports[bridge]}, routerPorts(s, 0), "three advertisements are missing")
	s.Advance(last.Add(256 * time.Second))
	require.Empty(t, routerPorts(s, 0))
	require.Equal(t, uint64(2), s.Counters().RouterPortsExpired)
}
