package querier_test

import (
	"net/netip"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/querier"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// What the hosts are members of: one that speaks version 1, one that speaks version 2, and one that speaks what it is
// asked in. A version 1 host takes up to 10 s to answer a query of version 1 or 3 (and takes a specific one of version 3
// for general), for each group by itself: of many groups one is soon.
var (
	v1Groups = groupsFrom(netip.MustParseAddr("239.1.1.1"), 16)
	v2Group  = netip.MustParseAddr("239.1.2.1")
	anyGroup = netip.MustParseAddr("239.1.3.1") // EXCLUDE{}
	inGroup  = netip.MustParseAddr("239.1.3.2") // INCLUDE{source 1, source 2}
	exGroup  = netip.MustParseAddr("239.1.3.3") // EXCLUDE{source 1}
	source1  = netip.MustParseAddr("198.51.100.1")
	source2  = netip.MustParseAddr("198.51.100.2")
	source3  = netip.MustParseAddr("198.51.100.3")
)

func groupsFrom(first netip.Addr, n int) (groups []netip.Addr) {
	for g := first; len(groups) < n; g = g.Next() {
		groups = append(groups, g)
	}
	return groups
}

// The Linux kernel's host stack, as it is, answers what we ask. An older query makes hosts fall back for minutes, so the
// versions are asked in from 3 down to 1.
func TestKernelHostsOfEveryVersionAnswer(t *testing.T) {
	t.Parallel()
	k := startHosts(t)
	k.ask(3, general)
	k.answers("v1", igmp.TypeReportV1, v1Groups...)
	k.answers("v2", igmp.TypeReportV2, v2Group)
	k.answers("v3", igmp.TypeReportV3, anyGroup)
	k.tells(igmp.Record{Type: igmp.IsEx, Group: anyGroup})
	k.tells(igmp.Record{Type: igmp.IsIn, Group: inGroup, Sources: []netip.Addr{source1, source2}})
	k.tells(igmp.Record{Type: igmp.IsEx, Group: exGroup, Sources: []netip.Addr{source1}})

	k.ask(3, specific(v2Group))
	k.answers("v2", igmp.TypeReportV2, v2Group)
	k.ask(3, specific(anyGroup))
	k.tells(igmp.Record{Type: igmp.IsEx, Group: anyGroup})
	k.ask(3, specific(inGroup))
	k.tells(igmp.Record{Type: igmp.IsIn, Group: inGroup, Sources: []netip.Addr{source1, source2}})

	k.ask(3, specific(v2Group, source1)) // version 2 knows no sources: the group is wanted from all
	k.answers("v2", igmp.TypeReportV2, v2Group)
	k.ask(3, specific(inGroup, source2, source3))
	k.tells(igmp.Record{Type: igmp.IsIn, Group: inGroup, Sources: []netip.Addr{source2}})
	k.ask(3, specific(exGroup, source1, source2))
	k.tells(igmp.Record{Type: igmp.IsEx, Group: exGroup, Sources: []netip.Addr{source1}}) // more than was asked for

	k.ask(2, general)
	for _, g := range v1Groups {
		k.answers("v1", igmp.TypeReportV1, g) // also what the query of version 3 had begun: nothing is left of that
	}
	k.answers("v2", igmp.TypeReportV2, v2Group)
	k.answers("v3", igmp.TypeReportV2, exGroup)
	k.ask(2, specific(v1Groups[0]))
	k.answers("v1", igmp.TypeReportV1, v1Groups[0])
	k.ask(2, specific(v2Group))
	k.answers("v2", igmp.TypeReportV2, v2Group)
	k.ask(2, specific(inGroup, source3)) // goes out for the group alone
	k.answers("v3", igmp.TypeReportV2, inGroup)

	k.ask(1, general)
	k.answers("v1", igmp.TypeReportV1, v1Groups...)
}

// question renders a query.
type question func(*querier.Querier) ([][]byte, error)

func general(q *querier.Querier) ([][]byte, error) { return q.Advance(time.Now()), nil }

func specific(group netip.Addr, sources ...netip.Addr) question {
	return func(q *querier.Querier) ([][]byte, error) { return q.Specific(group, sources, false, 0) }
}

// kernels are the hosts and what they said.
type kernels struct {
	t     *testing.T
	lab   *ovslab.NetLab
	heard *ovslab.Capture
	asked int // how much had been heard when the last question went out
}

func startHosts(t *testing.T) *kernels {
	lab := ovslab.NewNet(t, ovslab.NetConfig{FailMode: "standalone", Hosts: []ovslab.HostConfig{
		{Name: "us"}, {Name: "v1", IGMPVersion: 1}, {Name: "v2", IGMPVersion: 2}, {Name: "v3"},
	}})
	heard, err := lab.Host("us").Capture(func(f ovslab.Frame) bool { return !f.Sent && decodes(f) })
	require.NoError(t, err)
	k := &kernels{t: t, lab: lab, heard: heard}
	unsolicited := 2 * (len(v1Groups) + 1)
	for _, g := range v1Groups {
		k.join("v1", g)
	}
	k.join("v2", v2Group)
	k.join("v3", anyGroup)
	k.join("v3", inGroup, source1, source2)
	require.NoError(t, k.join("v3", exGroup).Exclude(source1))
	// What hosts say of themselves must not be taken for answers: that of version 3 looks different, that of the older
	// versions comes twice.
	_, err = heard.Await(within(t, 10*time.Second), func(frames []ovslab.Frame) bool {
		n := 0
		for _, f := range frames {
			if r := reportIn(f); r.Type == igmp.TypeReportV1 || r.Type == igmp.TypeReportV2 {
				n++
			}
		}
		return n >= unsolicited
	})
	require.NoError(t, err)
	return k
}

// join makes a host a member that repeats its reports soon.
func (k *kernels) join(host string, group netip.Addr, sources ...netip.Addr) *ovslab.Membership {
	h := k.lab.Host(host)
	for _, name := range []string{"igmpv2_unsolicited_report_interval", "igmpv3_unsolicited_report_interval"} {
		require.NoError(k.t, h.Do(func() error {
			return os.WriteFile("/proc/sys/net/ipv4/conf/eth0/"+name, []byte("100"), 0)
		}))
	}
	m, err := h.Join(group, sources...)
	require.NoError(k.t, err)
	return m
}

// ask sends one question in a version.
func (k *kernels) ask(version uint8, what question) {
	us := k.lab.Host("us")
	q, err := querier.New(querier.Config{
		MAC: macOf(k.t, us), Addrs: []netip.Addr{us.Addr()}, Versions: []uint8{version},
		QRI: 500 * time.Millisecond, LMQI: 200 * time.Millisecond,
	})
	require.NoError(k.t, err)
	frames, err := what(q)
	require.NoError(k.t, err)
	k.asked = len(k.heard.Frames())
	require.NoError(k.t, us.Inject(frames...))
}

// answers waits until the host has reported one of the groups in the version of the report.
func (k *kernels) answers(host string, as igmp.Type, groups ...netip.Addr) {
	k.t.Helper()
	from := k.lab.Host(host).Addr()
	k.await(host+" sends a "+as.String(), func(v *igmp.View) bool {
		if v.Src != from || v.Type != as {
			return false
		}
		for r := range v.Records() {
			if slices.Contains(groups, r.Group) {
				return true
			}
		}
		return slices.Contains(groups, v.Group)
	})
}

// tells waits until the host of version 3 has sent exactly this record.
func (k *kernels) tells(want igmp.Record) {
	k.t.Helper()
	from := k.lab.Host("v3").Addr()
	k.await(want.Type.String()+" for "+want.Group.String(), func(v *igmp.View) bool {
		for r := range v.Records() {
			sources := slices.SortedFunc(r.Sources(), netip.Addr.Compare)
			if v.Src == from && r.Type == want.Type && r.Group == want.Group && slices.Equal(sources, want.Sources) {
				return true
			}
		}
		return false
	})
}

func (k *kernels) await(what string, is func(*igmp.View) bool) {
	k.t.Helper()
	_, err := k.heard.Await(within(k.t, 15*time.Second), func(frames []ovslab.Frame) bool {
		return slices.ContainsFunc(frames[min(k.asked, len(frames)):], func(f ovslab.Frame) bool { return is(reportIn(f)) })
	})
	require.NoError(k.t, err, what)
}

func decodes(f ovslab.Frame) bool { return reportIn(f).Layer == igmp.LayerIGMP }

func reportIn(f ovslab.Frame) *igmp.View {
	var d igmp.Decoder
	v, _ := d.Frame(f.Data)
	return v
}
