package exchange

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

func TestEachNodeLearnsWhatTheOthersWant(t *testing.T) {
	e := startEngine(t)
	a, b, c := startNode(t, e, "a"), startNode(t, e, "b"), startNode(t, e, "172.31.0.3")
	a.join("239.1.1.1", port(1))
	a.join("239.1.1.1", port(2))
	b.join("239.1.1.1@10", port(1))
	c.join("ff3e::8000:1", port(7))
	c.apply(mcast.Report[member]{Group: group("232.1.1.1"), Member: port(7), Kind: mcast.AllowNewSources, At: time.Now(),
		Sources: []netip.Addr{netip.MustParseAddr("192.0.2.2"), netip.MustParseAddr("192.0.2.1")}})

	a.learns(
		"232.1.1.1: 172.31.0.3 INCLUDE{192.0.2.1, 192.0.2.2}",
		"239.1.1.1: port1 EXCLUDE{}, port2 EXCLUDE{}",
		"239.1.1.1@10: b EXCLUDE{}",
		"ff3e::8000:1: 172.31.0.3 EXCLUDE{}")
	b.learns(
		"232.1.1.1: 172.31.0.3 INCLUDE{192.0.2.1, 192.0.2.2}",
		"239.1.1.1: a EXCLUDE{}",
		"239.1.1.1@10: port1 EXCLUDE{}",
		"ff3e::8000:1: 172.31.0.3 EXCLUDE{}")
	require.Equal(t, map[string]string{
		"a.0.239/1/1/1":             "EXCLUDE",
		"b.10.239/1/1/1":            "EXCLUDE",
		"172/31/0/3.0.232/1/1/1":    "INCLUDE 192.0.2.1 192.0.2.2",
		"172/31/0/3.0.ff3e==8000=1": "EXCLUDE",
	}, store(t, a.conn))

	a.leave("239.1.1.1", port(1))
	a.leave("239.1.1.1", port(2))
	c.leave("ff3e::8000:1", port(7))
	c.leave("232.1.1.1", port(7))
	b.learns("239.1.1.1@10: port1 EXCLUDE{}")
	require.Equal(t, map[string]string{"b.10.239/1/1/1": "EXCLUDE"}, store(t, a.conn))
}
