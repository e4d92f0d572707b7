//go:build linux

package ovslab

import (
	"net"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Types of IGMP messages and of records in version 3 reports.
const (
	reportV1, reportV2, leaveV2, reportV3 = 0x12, 0x16, 0x17, 0x22

	toInclude, toExclude, allow, block = 3, 4, 5, 6
)

// igmpOf returns the IGMP message in a frame, or nothing.
func igmpOf(f Frame) []byte {
	if len(f.Data) < 34 || f.Data[12] != 8 || f.Data[13] != 0 || f.Data[23] != 2 {
		return nil
	}
	return f.Data[14+int(f.Data[14]&0x0f)*4:]
}

func isIGMP(f Frame) bool { return igmpOf(f) != nil }

// hears is true of frames among which is an IGMP message with a beginning.
func hears(begin ...byte) func([]Frame) bool {
	return func(frames []Frame) bool {
		return slices.ContainsFunc(frames, func(f Frame) bool {
			m := igmpOf(f)
			return len(m) >= len(begin) && slices.Equal(m[:len(begin)], begin)
		})
	}
}

// record3 is true of frames with a version 3 report of one record of that kind.
func record3(kind byte, sources byte) func([]Frame) bool {
	return func(frames []Frame) bool {
		return slices.ContainsFunc(frames, func(f Frame) bool {
			m := igmpOf(f)
			return len(m) >= 16 && m[0] == reportV3 && m[8] == kind && m[11] == sources
		})
	}
}

func listen(t *testing.T, lab *NetLab, port string) *Capture {
	t.Helper()
	c, err := lab.Capture(port, isIGMP)
	require.NoError(t, err)
	return c
}

func await(t *testing.T, c *Capture, enough func([]Frame) bool) []Frame {
	t.Helper()
	frames, err := c.Await(within(t, 10*time.Second), enough)
	require.NoError(t, err)
	return frames
}

func TestHostsSpeakTheirVersionOfIGMP(t *testing.T) {
	lab := NewNet(t, NetConfig{Hosts: []HostConfig{
		{Name: "v1", IGMPVersion: 1}, {Name: "v2", IGMPVersion: 2}, {Name: "v3", IGMPVersion: 3}, {Name: "free"},
	}})
	for name, want := range map[string]byte{"v1": reportV1, "v2": reportV2, "v3": reportV3, "free": reportV3} {
		c := listen(t, lab, name)
		join(t, lab.Host(name))
		for _, f := range await(t, c, hears(want)) {
			require.Equal(t, want, igmpOf(f)[0], name)
			require.False(t, f.Sent, "it came from the host")
			require.Equal(t, lab.Host(name).MAC(), macOf(f))
		}
	}
}

func TestAVersion2HostLeaves(t *testing.T) {
	lab := NewNet(t, NetConfig{Hosts: []HostConfig{{Name: "v2", IGMPVersion: 2}}})
	c := listen(t, lab, "v2")
	m := join(t, lab.Host("v2"))
	await(t, c, hears(reportV2))
	require.NoError(t, m.Leave())
	await(t, c, hears(leaveV2))
}

func TestAVersion3HostTellsItsSources(t *testing.T) {
	lab := NewNet(t, NetConfig{Hosts: []HostConfig{{Name: "a"}}})
	a := lab.Host("a")
	c := listen(t, lab, "a")

	some := join(t, a, source)
	await(t, c, record3(allow, 1))
	require.NoError(t, some.Leave())
	await(t, c, record3(block, 1))

	all := join(t, a)
	await(t, c, record3(toExclude, 0))
	require.NoError(t, all.Exclude(source))
	await(t, c, record3(block, 1))
	require.NoError(t, all.Include(source, source.Next()))
	await(t, c, record3(toInclude, 2))
	require.NoError(t, all.Exclude())
	require.NoError(t, all.Leave())
	await(t, c, record3(toInclude, 0))

	_, err := a.Join(a.Addr6())
	require.ErrorIs(t, err, ErrConfig)
}

// The kernel answers a query that it did not make, which came through the switch
// as it was injected.
func TestAnInjectedQueryIsAnswered(t *testing.T) {
	lab := NewNet(t, NetConfig{FailMode: "standalone", Hosts: []HostConfig{{Name: "a"}, {Name: "b"}}})
	join(t, lab.Host("b"))
	c := listen(t, lab, "b")
	query := []byte{
		0x01, 0, 0x5e, 0, 0, 1, 0, 0, 0x5e, 0, 0x53, 0xee, 0x08, 0x00, // from 00:00:5e:00:53:ee to all hosts
		0x46, 0xc0, 0, 32, 0, 0, 0, 0, 1, 2, 0x81, 0xb3, 192, 0, 2, 99, 224, 0, 0, 1, 0x94, 4, 0, 0, // with Router Alert
		0x11, 10, 0xee, 0xf5, 0, 0, 0, 0, // version 2, one second
	}

	require.NoError(t, lab.Host("a").Inject(query))

	frames := await(t, c, hears(reportV2))
	require.True(t, slices.ContainsFunc(frames, func(f Frame) bool { return f.Sent && slices.Equal(f.Data, query) }))
}

// Two hosts behind one port are one network: each hears what the other reports.
func TestHostsBehindOnePortHearEachOther(t *testing.T) {
	lab := NewNet(t, NetConfig{Hosts: []HostConfig{
		{Name: "a", Port: "shared", IGMPVersion: 2}, {Name: "b", Port: "shared", IGMPVersion: 2},
	}})
	require.Equal(t, lab.Host("a").PortNumber(), lab.Host("b").PortNumber())
	port := listen(t, lab, "shared")
	b, err := lab.Host("b").Capture(isIGMP)
	require.NoError(t, err)

	join(t, lab.Host("a"))

	await(t, port, hears(reportV2))
	frames := await(t, b, hears(reportV2))
	require.Equal(t, lab.Host("a").MAC(), macOf(frames[0]))
}

// A host that crashes says nothing, unlike one whose programs end.
func TestACrashIsSilent(t *testing.T) {
	lab := NewNet(t, NetConfig{Hosts: []HostConfig{
		{Name: "a", Port: "shared", IGMPVersion: 2}, {Name: "b", Port: "shared", IGMPVersion: 2}, {Name: "c"},
	}})
	port := listen(t, lab, "shared")
	join(t, lab.Host("a"))
	await(t, port, hears(reportV2))

	require.NoError(t, lab.Host("a").Crash(t.Context()))
	require.Nil(t, lab.Host("a"))
	// What b says next is the end of what could have been heard of a.
	m, err := lab.Host("b").Join(group.Next())
	require.NoError(t, err)
	await(t, port, func(frames []Frame) bool { return hears(reportV2)(frames[1:]) })
	require.NoError(t, m.Leave())

	for _, f := range await(t, port, hears(leaveV2)) {
		if igmpOf(f)[0] == leaveV2 {
			require.Equal(t, lab.Host("b").MAC(), macOf(f))
		}
	}
	require.NoError(t, lab.Host("c").Crash(t.Context()), "the only one behind its port")
	require.NoError(t, lab.AddHosts(t.Context(), HostConfig{Name: "c"}), "and another takes its place")
	normal(t, lab)
	requireStream(t, lab.Host("c"), lab.Host("b"))
	require.Equal(t, uint32(2), lab.Host("c").PortNumber())
}

// macOf is a frame's source address.
func macOf(f Frame) string { return net.HardwareAddr(f.Data[6:12]).String() }
