package mroute

import (
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func joiner(t *testing.T) *Joiner {
	t.Helper()
	j := NewJoiner()
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// joined are the groups that the kernel has on an interface, besides 224.0.0.1.
func joined(t *testing.T, name string) []string {
	t.Helper()
	var out []string
	on := false
	for line := range strings.Lines(kernelTable(t, "igmp")) {
		f := strings.Fields(line)
		switch {
		case line[0] != '\t':
			on = len(f) > 1 && f[1] == name
		case on:
			var b [4]byte
			_, err := fmt.Sscanf(f[0], "%02X%02X%02X%02X", &b[3], &b[2], &b[1], &b[0])
			require.NoError(t, err)
			if g := netip.AddrFrom4(b).String(); g != "224.0.0.1" {
				out = append(out, g)
			}
		}
	}
	slices.Sort(out)
	return out
}

// filters are the lines of /proc/net/mcfilter for an interface: group, source, how many sockets include and exclude it.
func filters(t *testing.T, name string) []string {
	t.Helper()
	var out []string
	for line := range strings.Lines(kernelTable(t, "mcfilter")) {
		if f := strings.Fields(line); f[1] == name {
			out = append(out, strings.Join(f[2:], " "))
		}
	}
	slices.Sort(out)
	return out
}

func numbered(prefix string, from, to int) []netip.Addr {
	var out []netip.Addr
	for i := from; i < to; i++ {
		out = append(out, netip.MustParseAddr(fmt.Sprintf("%s.%d.%d", prefix, i/250, 1+i%250)))
	}
	return out
}

func TestThreeHundredGroupsAreJoinedBeyondTheLimitOfASocket(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	d := dummies(t, 1)[0]
	j := joiner(t)
	groups := numbered("233.252", 0, 350)
	for _, g := range groups[:300] {
		require.NoError(t, j.Set(Membership{Interface: d, Group: g}, AnySource()))
	}
	require.Len(t, joined(t, "d0"), 300)
	require.Equal(t, JoinerStats{Places: 300, Sockets: 15}, j.Stats())

	for n, g := range groups[:50] {
		require.NoError(t, j.Leave(Membership{Interface: d, Group: groups[n*5]}))
		require.NoError(t, j.Set(Membership{Interface: d, Group: groups[300+n]}, AnySource()), g)
	}
	require.Len(t, joined(t, "d0"), 300)
	require.Equal(t, 15, j.Stats().Sockets, "slots that were given back are used again")

	require.NoError(t, j.Close())
	require.Empty(t, joined(t, "d0"))
}

func TestLoweredLimitOnlyTakesMoreSockets(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	sysctl(t, "igmp_max_memberships", "5")
	d := dummies(t, 1)[0]
	j := joiner(t)
	for _, g := range numbered("233.252", 0, 23) {
		require.NoError(t, j.Set(Membership{Interface: d, Group: g}, AnySource()))
	}
	require.Len(t, joined(t, "d0"), 23)
	require.Equal(t, 5, j.Stats().Sockets)
}

func TestNoRoomAtAllIsSaidAndLaterTriedAgain(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	d := dummies(t, 1)[0]
	j := joiner(t)
	m := Membership{Interface: d, Group: group}
	sysctl(t, "igmp_max_memberships", "0")
	err := j.Set(m, AnySource())
	require.ErrorIs(t, err, ErrMemberships)
	require.ErrorContains(t, err, "net.ipv4.igmp_max_memberships")
	require.Zero(t, j.Stats().Sockets, "no socket is left behind")
	sysctl(t, "igmp_max_memberships", "20")
	require.NoError(t, j.Set(m, AnySource()))
	require.Equal(t, []string{"233.252.0.1"}, joined(t, "d0"))
}

func TestJoinIsOnExactlyTheInterfaceThatWasNamed(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	d := dummies(t, 3)
	ip(t, "addr add 192.0.2.1/32 dev d0", "addr add 192.0.2.1/32 dev d1")
	j := joiner(t)
	for n, i := range d {
		require.NoError(t, j.Set(Membership{Interface: i, Group: group}, AnySource()))
		require.Equal(t, []string{"233.252.0.1"}, joined(t, fmt.Sprintf("d%d", n)))
	}
	ip(t, "addr del 192.0.2.1/32 dev d0", "addr add 192.0.2.9/32 dev d0")
	require.NoError(t, j.Leave(Membership{Interface: d[0], Group: group}))
	require.Empty(t, joined(t, "d0"))
	require.NotEmpty(t, joined(t, "d1"))
	require.NotEmpty(t, joined(t, "d2"), "an interface needs no address")
}

func TestJoinIsIdempotentAndCountedByHolder(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	d := dummies(t, 1)[0]
	j := joiner(t)
	a, b := Membership{d, group, "a"}, Membership{d, netip.AddrFrom16(group.As16()), "b"}
	for range 2 {
		require.NoError(t, j.Set(a, AnySource()))
		require.NoError(t, j.Set(b, AnySource()))
	}
	require.Equal(t, JoinerStats{Places: 1, Sockets: 1}, j.Stats(), "the mapped form is the same group")
	require.NoError(t, j.Leave(a))
	require.NoError(t, j.Leave(a), "it left already")
	require.NotEmpty(t, joined(t, "d0"), "b wants it")
	require.NoError(t, j.Leave(b))
	require.Empty(t, joined(t, "d0"))
	require.Zero(t, j.Stats(), "nothing is kept of what nobody wants")
}

func TestLeaveOfWhatIsNotThereIsDone(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	d := dummies(t, 2)
	j := joiner(t)
	require.NoError(t, j.Leave(Membership{Interface: d[0], Group: group}))
	require.NoError(t, j.Leave(Membership{Interface: 4711, Group: group}))

	any, some := Membership{Interface: d[0], Group: group}, Membership{Interface: d[0], Group: documented.Group.Next()}
	require.NoError(t, j.Set(any, AnySource()))
	require.NoError(t, j.Set(some, Only(numbered("198.51", 0, 25)...)))
	ip(t, "link del d0")
	require.NoError(t, j.Leave(any))
	require.NoError(t, j.Leave(some))
	require.Zero(t, j.Stats())
}

func TestJoinOnAVanishedInterfaceFailsAloneAndCanBeTakenBack(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	d := dummies(t, 2)
	ip(t, "link del d0")
	j := joiner(t)
	gone := Membership{Interface: d[0], Group: group}
	require.ErrorIs(t, j.Set(gone, AnySource()), ErrNoInterface)
	require.NoError(t, j.Set(Membership{Interface: d[1], Group: group}, AnySource()))
	require.NoError(t, j.Leave(gone))
	require.Equal(t, JoinerStats{Places: 1, Sockets: 1}, j.Stats())
}

func TestWhatCannotBeJoinedIsRefused(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	d := dummies(t, 1)[0]
	j := joiner(t)
	require.ErrorIs(t, j.Set(Membership{Interface: d, Group: netip.MustParseAddr("224.0.0.251")}, AnySource()), ErrLinkLocal)
	require.ErrorIs(t, j.Set(Membership{Interface: d}, AnySource()), ErrAddress)
	require.ErrorIs(t, j.Set(Membership{Interface: d, Group: source}, AnySource()), ErrAddress)
	require.ErrorIs(t, j.Set(Membership{Group: group}, AnySource()), ErrNoInterface)
	require.ErrorIs(t, j.Set(Membership{Interface: d, Group: group}, Only(group)), ErrFilter)
	require.Zero(t, j.Stats())
	require.NoError(t, j.Set(Membership{Interface: d, Group: netip.MustParseAddr("239.255.255.250")}, AnySource()), "left to policy")
	require.NoError(t, j.Close())
	require.NoError(t, j.Close())
	require.ErrorIs(t, j.Set(Membership{Interface: d, Group: group}, AnySource()), os.ErrClosed)
}

func TestSourcesAreJoinedBeyondTheLimitOfASocket(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	d := dummies(t, 1)[0]
	j := joiner(t)
	m := Membership{Interface: d, Group: group}
	sources := numbered("198.51", 0, 40)
	require.NoError(t, j.Set(m, Only(sources[:25]...)))
	require.Len(t, filters(t, "d0"), 25)
	require.Equal(t, "0xe9fc0001 0xc6330001 1 0", filters(t, "d0")[0], "the kernel includes it once")
	require.Equal(t, 3, j.Stats().Sockets)

	require.NoError(t, j.Set(m, Only(sources[15:40]...)))
	require.Len(t, filters(t, "d0"), 25)
	require.Equal(t, "0xe9fc0001 0xc6330010 1 0", filters(t, "d0")[0])
	require.NoError(t, j.Set(m, Only(sources[39])))
	require.Equal(t, []string{"0xe9fc0001 0xc6330028 1 0"}, filters(t, "d0"))
	require.Equal(t, 1, j.Stats().Sockets)
	require.NoError(t, j.Leave(m))
	require.Empty(t, joined(t, "d0"))
}

func TestHoldersFiltersAreMergedInTheKernel(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	d := dummies(t, 1)[0]
	j := joiner(t)
	a, b := Membership{d, group, "a"}, Membership{d, group, "b"}
	s := numbered("198.51", 0, 3)
	require.NoError(t, j.Set(a, Only(s[0], s[1])))
	require.NoError(t, j.Set(b, Filter{Exclude: true, Sources: []netip.Addr{s[1], s[2]}}))
	require.Equal(t, []string{"0xe9fc0001 0xc6330003 0 1"}, filters(t, "d0"), "all but the one that a does not want either")
	require.NoError(t, j.Leave(a))
	require.Equal(t, []string{"0xe9fc0001 0xc6330002 0 1", "0xe9fc0001 0xc6330003 0 1"}, filters(t, "d0"))
	require.NoError(t, j.Set(a, Only(s[0])))
	require.NoError(t, j.Leave(b))
	require.Equal(t, []string{"0xe9fc0001 0xc6330001 1 0"}, filters(t, "d0"))
}

func TestExcludeListThatIsTooLongBecomesAnySourceAndIsCounted(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	d := dummies(t, 1)[0]
	j := joiner(t)
	m := Membership{Interface: d, Group: group}
	sources := numbered("198.51", 0, 11)
	require.NoError(t, j.Set(m, Filter{Exclude: true, Sources: sources[:10]}))
	require.Len(t, filters(t, "d0"), 10)
	require.Zero(t, j.Stats().Widened)
	for range 2 {
		require.NoError(t, j.Set(m, Filter{Exclude: true, Sources: sources}))
		require.Empty(t, filters(t, "d0"), "a list cut short would be one that nobody asked for")
		require.Equal(t, []string{"233.252.0.1"}, joined(t, "d0"))
		require.Equal(t, JoinerStats{Places: 1, Sockets: 1, Widened: 1}, j.Stats())
	}
}
