package mroute

import (
	"encoding/hex"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// recordedRules are bodies of RTM_NEWRULE as Linux 6.18 sends them.
var recordedRules = []struct {
	name, body string
	rule       fibRule
}{
	{"by another", "80000000070000010000000008000f000700000008000e00ffffffff0500150000000000070003006c6f0000",
		fibRule{in: "lo", table: 7, toTable: true}},
	{"ours", "80000000090000010000000008000f000900000008000e00ffffffff0500150011000000070003006c6f000008000600fc7f0000",
		fibRule{in: "lo", table: 9, toTable: true, ours: true, priority: 0x7ffc}},
	{"prohibit", "80000000000000080800000008000f000000000008000e00ffffffff0500150000000000070003007631000008000600fd7f0000",
		fibRule{in: "v1", priority: 0x7ffd}},
	{"large number", "80000000fc0000010000000008000f00a086010008000e00ffffffff050015000000000008000600fe7f0000",
		fibRule{table: 100000, toTable: true, priority: 0x7ffe}},
	{"the kernel's", "80000000fd0000010000000008000f00fd00000008000e00ffffffff050015000200000008000600ff7f0000",
		fibRule{table: 253, toTable: true, priority: 0x7fff}},
}

func TestRulesOfTheKernelAreRead(t *testing.T) {
	for _, test := range recordedRules { // of a little-endian machine, as all are where the tests run
		b, err := hex.DecodeString(test.body)
		require.NoError(t, err)
		r, err := parseFIBRule(b)
		require.NoError(t, err, test.name)
		require.Equal(t, test.rule, r, test.name)
	}
}

func FuzzRule(f *testing.F) {
	for _, test := range recordedRules {
		b, err := hex.DecodeString(test.body)
		require.NoError(f, err)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := parseFIBRule(b); err == nil && r.toTable && r.table != 0 {
			again, err := parseFIBRule(r.marshal())
			require.NoError(t, err)
			r.ours = true
			require.Equal(t, r, again)
		}
	})
}

func TestRuleThatCannotBeRemovedIsTriedAgain(t *testing.T) {
	k := newFake()
	s := newSocket(k)
	s.table = 7
	require.NoError(t, s.AddRule("eth0"))
	k.fail["delRule"] = syscall.EPERM
	require.ErrorIs(t, s.DelRule("eth0"), ErrPermission)
	require.ErrorIs(t, s.DelRule("eth0"), syscall.EPERM)
	delete(k.fail, "delRule")
	k.fail["addRule"] = syscall.EAFNOSUPPORT
	require.Error(t, s.AddRule("eth1"))
	require.NoError(t, s.Close())
	require.Empty(t, k.rules)
}
