package exchange

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/ofmcast/ofmcast/mcast"
)

// A dot parts the tokens of a key, and a colon cannot be in one: names and addresses are written with
// a slash and an equals sign instead, which they never have of their own.
var (
	intoKey = strings.NewReplacer(".", "/", ":", "=")
	outOf   = strings.NewReplacer("/", ".", "=", ":")
)

func validNode(name string) bool {
	return len(name) >= 1 && len(name) <= 64 && strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(".:-_", r)
	}) < 0
}

// nodeKey is the key of a node's lease.
func nodeKey(node string) string { return intoKey.Replace(node) }

// leaseSubject is where the lease of a node is renewed: to publish there writes its key.
func leaseSubject(bucket, node string) string { return "$KV." + bucket + "_nodes." + nodeKey(node) }

// parseNodeKey is the node whose lease a key is.
func parseNodeKey(key string) (node string, ok bool) {
	node = outOf.Replace(key)
	return node, validNode(node) && nodeKey(node) == key
}

// groupKey is, for instance, "node3.10.239/1/1/1" or "172/31/0/3.0.ff3e==8000=1".
func groupKey(node string, g mcast.Group) string {
	return nodeKey(node) + "." + strconv.FormatUint(uint64(g.Segment), 10) + "." + intoKey.Replace(g.Addr.String())
}

// parseGroupKey is what groupKey was made of. A group has exactly one key: others that would mean the
// same, and groups that are never forwarded, are refused.
func parseGroupKey(key string) (node string, g mcast.Group, ok bool) {
	token, rest, _ := strings.Cut(key, ".")
	segment, addr, _ := strings.Cut(rest, ".")
	node = outOf.Replace(token)
	n, err := strconv.ParseUint(segment, 10, 32)
	if err != nil {
		return "", g, false
	}
	a, err := netip.ParseAddr(outOf.Replace(addr))
	if err != nil {
		return "", g, false
	}
	g = mcast.Group{Addr: a, Segment: uint32(n)}
	return node, g, validNode(node) && shared(a) && groupKey(node, g) == key
}

// shared says that other nodes are told of a group: link-local ones never leave their link.
func shared(a netip.Addr) bool {
	return a.IsMulticast() && !a.Is4In6() && a.Zone() == "" && !a.IsLinkLocalMulticast() && !a.IsInterfaceLocalMulticast()
}
