package exchange

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

func TestKeys(t *testing.T) {
	for key, want := range map[string]struct{ node, group string }{
		"node3.0.239/1/1/1":               {"node3", "239.1.1.1"},
		"node3.10.239/1/1/1":              {"node3", "239.1.1.1@10"},
		"172/31/0/3.4294967295.232/0/0/1": {"172.31.0.3", "232.0.0.1@4294967295"},
		"fd00==3.0.ff3e==8000=1":          {"fd00::3", "ff3e::8000:1"},
		"a_b-C/example/net.7.239/255/0/1": {"a_b-C.example.net", "239.255.0.1@7"},
	} {
		require.Equal(t, key, groupKey(want.node, group(want.group)))
		node, g, ok := parseGroupKey(key)
		require.True(t, ok, key)
		require.Equal(t, want.node, node)
		require.Equal(t, group(want.group), g)
	}
	for _, key := range []string{
		"", ".", "..", "a", "a.0", "a.0.", ".0.239/1/1/1", "a..239/1/1/1", "a.x.239/1/1/1", "a.-1.239/1/1/1", "a.+1.239/1/1/1",
		"a.01.239/1/1/1", "a.4294967296.239/1/1/1", "a.0.239/1/1", "a.0.239/1/1/01", "a.0.10/0/0/1", "a.0.239/1/1/1.x",
		"a.0.239.1.1.1", "a.0.224/0/0/251", "a.0.ff02==1=3", "a.0.ff01==1", "a.0.ff3e==08000=1", "a.0.FF3E==8000=1",
		"a.0.==ffff=239/1/1/1", "a b.0.239/1/1/1", "a:.0.239/1/1/1", "ä.0.239/1/1/1", "a*.0.239/1/1/1", "a.0.ff3e==1%eth0",
		strings.Repeat("a", 65) + ".0.239/1/1/1",
	} {
		_, _, ok := parseGroupKey(key)
		require.False(t, ok, "%q", key)
	}
}

func TestNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"a": true, "172.31.0.3": true, "fd00::3": true, "Node-7_x.example.net": true, strings.Repeat("a", 64): true,
		"": false, strings.Repeat("a", 65): false, "a/b": false, "a=b": false, "a b": false, "*": false, ">": false, "é": false, "\xff": false,
	} {
		require.Equal(t, ok, validNode(name), "%q", name)
		if node, good := parseNodeKey(nodeKey(name)); ok {
			require.True(t, good, "%q", name)
			require.Equal(t, name, node)
		}
	}
	for _, key := range []string{"a.b", "a:b"} { // a key that nodeKey never makes
		_, ok := parseNodeKey(key)
		require.False(t, ok, key)
	}
}

func TestValues(t *testing.T) {
	v4, v6 := netip.MustParseAddr("239.1.1.1"), netip.MustParseAddr("ff3e::1")
	for _, c := range []struct {
		group netip.Addr
		value string
		kind  mcast.Kind // 0: refused
	}{
		{v4, "EXCLUDE", mcast.ChangeToExclude},
		{v6, "EXCLUDE", mcast.ChangeToExclude},
		{v4, "EXCLUDE 192.0.2.1", mcast.ChangeToExclude},
		{v4, "INCLUDE 192.0.2.1 192.0.2.2", mcast.ChangeToInclude},
		{v6, "INCLUDE 2001:db8::1 2001:db8::2", mcast.ChangeToInclude},
		{v4, "", 0}, {v4, "INCLUDE", 0}, {v4, "INCLUDE ", 0}, {v4, "EXCLUDE ", 0}, {v4, "exclude", 0}, {v4, "EXCLUDEX", 0},
		{v4, "EXCLUDE 192.0.2.1 ", 0}, {v4, "EXCLUDE  192.0.2.1", 0}, {v4, " EXCLUDE", 0}, {v4, "EXCLUDE\n", 0},
		{v4, "INCLUDE 192.0.2.2 192.0.2.1", 0}, {v4, "INCLUDE 192.0.2.1 192.0.2.1", 0},
		{v4, "INCLUDE 2001:db8::1", 0}, {v6, "INCLUDE 192.0.2.1", 0}, {v6, "INCLUDE ::ffff:192.0.2.1", 0},
		{v6, "INCLUDE fe80::1%eth0", 0}, {v6, "INCLUDE 2001:DB8::1", 0}, {v4, "INCLUDE 192.0.2.01", 0},
	} {
		w, ok := parseValue([]byte(c.value), c.group)
		require.Equal(t, c.kind != 0, ok, "%q", c.value)
		require.Equal(t, c.kind, w.kind, "%q", c.value)
		if ok {
			require.Equal(t, c.value, string(appendValue(nil, filterOf(t, c.group, w))))
		}
	}
}

func TestTheLongestValue(t *testing.T) {
	g := netip.MustParseAddr("ff3e::1")
	var list []netip.Addr
	for i := range maxSources + 1 {
		list = append(list, netip.MustParseAddr("2001:db8:1111:1111:1111:1111:1111:1111"))
		b := list[i].As16()
		b[14], b[15] = 0x80|byte(i>>8), byte(i)
		list[i] = netip.AddrFrom16(b)
	}
	full := appendValue(nil, filterOf(t, g, want{mcast.ChangeToInclude, list[:maxSources]}))
	require.LessOrEqual(t, len(full), maxValue)
	w, ok := parseValue(full, g)
	require.True(t, ok)
	require.Equal(t, list[:maxSources], w.sources)
	_, ok = parseValue([]byte("INCLUDE "+strings.Join(texts(list), " ")), g)
	require.False(t, ok, "one more")
	require.Equal(t, "EXCLUDE", string(appendValue(nil, filterOf(t, g, want{mcast.ChangeToInclude, list}))))
	_, ok = parseValue(make([]byte, maxValue+1), g)
	require.False(t, ok)
}

func texts(list []netip.Addr) (s []string) {
	for _, a := range list {
		s = append(s, a.String())
	}
	return s
}

// filterOf is the filter of a member who wants that.
func filterOf(t testing.TB, g netip.Addr, w want) mcast.Filter {
	c := mcast.New(mcast.Config[int]{Limits: mcast.Limits{SourcesPerMember: -1}})
	require.NoError(t, c.Apply(mcast.Report[int]{Group: mcast.Group{Addr: g}, Kind: w.kind, Sources: w.sources,
		Owner: mcast.Owner{Kind: mcast.Static}, At: time.Unix(1, 0)}))
	s, _ := c.Lookup(mcast.Group{Addr: g})
	return s.Filter()
}

// What is taken for good has exactly one spelling, is within the bounds, and is something that the cache takes.
func FuzzUpdate(f *testing.F) {
	f.Add("node3.10.239/1/1/1", []byte("INCLUDE 192.0.2.1 192.0.2.2"))
	f.Add("fd00==3.0.ff3e==8000=1", []byte("EXCLUDE 2001:db8::1"))
	f.Add("a.0.239/1/1/1", []byte("EXCLUDE"))
	f.Fuzz(func(t *testing.T, key string, value []byte) {
		if node, ok := parseNodeKey(key); ok {
			require.Equal(t, key, nodeKey(node))
		}
		node, g, ok := parseGroupKey(key)
		if !ok {
			return
		}
		require.Equal(t, key, groupKey(node, g))
		w, ok := parseValue(value, g.Addr)
		if !ok {
			return
		}
		require.LessOrEqual(t, len(w.sources), maxSources)
		require.True(t, slices.IsSortedFunc(w.sources, netip.Addr.Compare))
		require.Equal(t, string(value), string(appendValue(nil, filterOf(t, g.Addr, w))))
	})
}
