package mroute

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mrules are the rules of multicast routing, but for the kernel's own, as ip shows them.
func mrules(t *testing.T) []string {
	t.Helper()
	b, err := exec.Command("ip", "mrule", "show").Output()
	require.NoError(t, err)
	out := []string{}
	for line := range strings.Lines(string(b)) {
		if _, rule, _ := strings.Cut(line, ":"); !strings.Contains(rule, "lookup default") {
			out = append(out, strings.Join(strings.Fields(rule), " "))
		}
	}
	return out
}

func openTable(t *testing.T, table uint32) *Socket {
	t.Helper()
	s, err := Open(Config{Table: table})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestStreamComesToATableByItsRule(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from, to := newHost(t, 1), newHost(t, 2)
	s := openTable(t, 7)
	v := addVIFs(t, s, index(t, "v1"), index(t, "v2"))
	require.NoError(t, s.AddRoute(Route{SG: SG{source, group}, In: v[0], Out: []Hop{{VIF: v[1]}}}))
	in, out := from.sender(t), to.udp(t, group.String()+":5000")
	send(t, in, group.String(), "nobody's")
	require.NoError(t, s.AddRule("v1"))
	require.NoError(t, s.AddRule("v1"), "it is there")
	require.Equal(t, []string{"from all iif v1 lookup 7 proto 17"}, mrules(t))
	send(t, in, group.String(), "ours")
	require.Equal(t, "ours", receive(t, out))
	require.NoError(t, s.DelRule("v1"))
	require.NoError(t, s.DelRule("v1"), "it is gone")
	require.Empty(t, mrules(t))
}

func TestRulesEndWithTheSocketAndOthersStay(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	ip(t, "mrule add iif lo table 7")
	s := openTable(t, 7)
	for _, in := range []string{"", "lo", "not-yet"} {
		require.NoError(t, s.AddRule(in))
	}
	require.Len(t, mrules(t), 4, "the one that was there is not ours")
	require.NoError(t, s.Close())
	require.Equal(t, []string{"from all iif lo lookup 7"}, mrules(t))
	require.ErrorIs(t, s.AddRule("lo"), os.ErrClosed)
}

func TestRulesPassOnWithTheSocket(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := openTable(t, 7)
	require.NoError(t, s.AddRule("lo"))
	f, err := s.Handover()
	require.NoError(t, err)
	next, err := FromFile(f, Config{Table: 7})
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, s.Close())
	require.Len(t, mrules(t), 1)
	require.NoError(t, next.AddRule("lo"))
	require.Len(t, mrules(t), 1)
	require.NoError(t, next.Close())
	require.Empty(t, mrules(t))
}

func TestDefaultTableNeedsNoRule(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	s := open(t)
	require.NoError(t, s.AddRule("lo"))
	require.Empty(t, mrules(t))
	require.NoError(t, s.DelRule("lo"))
}

func TestNameThatNoInterfaceCanHaveIsRefused(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	require.ErrorIs(t, openTable(t, 7).AddRule(strings.Repeat("x", 16)), ErrNoInterface)
}
