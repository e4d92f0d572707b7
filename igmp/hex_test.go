package igmp

import (
	"encoding/hex"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

func unhex(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(tb, err)
	return b
}

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

func addrs(list ...string) (a []netip.Addr) {
	for _, s := range list {
		a = append(a, addr(s))
	}
	return a
}
