package mroute

import (
	"context"
	"fmt"
	"net/netip"
	"time"
)

// CheckConfig says what Check shall look at. The zero value looks at the default table alone.
type CheckConfig struct {
	// Socket is the caller's own routing socket, if it has one open. Without it Check opens one for a moment, to see
	// whether another owns the table; a router that starts in that moment is refused.
	Socket *Socket
	// Table is the multicast routing table, if Socket is nil. By default it is RT_TABLE_DEFAULT, as in Config.
	Table uint32
	// Inputs are the names of the interfaces where streams arrive and groups are joined, Outputs those where they leave.
	Inputs, Outputs []string
	// Flows are streams that should arrive, for what depends on the source: each at its In, or at all Inputs if it
	// names none. Groups may be left out.
	Flows []Flow
	// Listen is how long to watch the Inputs for streams with TTL 1, which no router forwards. By default Check does
	// not.
	Listen time.Duration
}

// Problem is what Check may find.
type Problem uint8

// What Check may find. The zero Problem is none.
const (
	// ProblemOwner: another process routes multicast by this table.
	ProblemOwner Problem = iota + 1
	// ProblemNoRule: no rule (ip mrule) sends the packets of an interface to the table.
	ProblemNoRule
	// ProblemNoInterface: there is no interface of this name.
	ProblemNoInterface
	// ProblemDown: the interface is down, or has no carrier.
	ProblemDown
	// ProblemNoMulticast: the interface's MULTICAST flag is off.
	ProblemNoMulticast
	// ProblemReversePath: net.ipv4.conf.*.rp_filter drops a stream before routing sees it, since the route back to its
	// source does not lead through the interface (1), or does not exist (2).
	ProblemReversePath
	// ProblemTTL: a stream arrives with TTL 1 and stays where it is.
	ProblemTTL
	// ProblemIGMPVersion: net.ipv4.conf.*.force_igmp_version makes joins of single sources joins of all.
	ProblemIGMPVersion
	// ProblemLimit: there are more interfaces than VIFs, or a limit of the kernel refuses every membership.
	ProblemLimit
	// ProblemForwarding: net.ipv4.ip_forward is 0. Multicast is routed all the same, but no receiver can answer its
	// sender.
	ProblemForwarding
)

// problemNames are for people and for metrics.
var problemNames = [...]string{
	ProblemOwner: "owner", ProblemNoRule: "no-rule", ProblemNoInterface: "no-interface", ProblemDown: "down",
	ProblemNoMulticast: "no-multicast", ProblemReversePath: "reverse-path", ProblemTTL: "ttl",
	ProblemIGMPVersion: "igmp-version", ProblemLimit: "limit", ProblemForwarding: "forwarding",
}

// String is "reverse-path".
func (p Problem) String() string {
	if int(p) < len(problemNames) && problemNames[p] != "" {
		return problemNames[p]
	}
	return fmt.Sprintf("Problem(0x%x)", uint8(p))
}

// Finding is something that keeps packets away without an error, an upcall or a counter that says so.
type Finding struct {
	Problem Problem
	// Interface is the name of the interface that it is about; empty if it is about all.
	Interface string
	// Source and Group are the stream that it is about, if it is about one. Group is also invalid if it is about all of
	// a source's.
	Source, Group netip.Addr
	// Blocks says that packets are lost for certain. Otherwise it depends on what is not known here.
	Blocks bool
	// Detail says what was seen, and Remedy what to do about it. Both are for people, in one line.
	Detail, Remedy string
}

// String is one line with everything.
func (f Finding) String() string {
	where := ""
	if f.Interface != "" {
		where += " " + f.Interface
	}
	if f.Source.IsValid() {
		where += " from " + f.Source.String()
	}
	if f.Group.IsValid() {
		where += " to " + f.Group.String()
	}
	return fmt.Sprintf("%v%s: %s (%s)", f.Problem, where, f.Detail, f.Remedy)
}

// Check looks for what keeps multicast away silently, in the network namespace of the calling thread, and changes
// nothing. It reads the kernel's settings as they are now: nothing is watched afterwards.
//
// It cannot see a firewall's forward chain, nor what switches between here and the sender do.
//
// The findings are in a stable order: the table first, then interface by interface, then stream by stream. When a part
// cannot be looked at, mostly for lack of privileges, the error says which, and the findings of the others are returned
// with it. It needs CAP_NET_ADMIN and CAP_NET_RAW, and on other systems than Linux is errors.ErrUnsupported.
func Check(ctx context.Context, cfg CheckConfig) ([]Finding, error) {
	seen, err := observe(ctx, cfg)
	return seen.judge(cfg), fault("check", "", err)
}

// table is the number of the table that is looked at.
func (c CheckConfig) table() uint32 {
	if c.Socket != nil {
		return c.Socket.Table()
	}
	return Config{Table: c.Table}.table()
}
