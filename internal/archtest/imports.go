// Package archtest keeps the architecture: which package may import what. The test fails when one of
// the four packages imports another, when a third-party module reaches code that host projects
// build, and when a new package has no entry here.
package archtest

// modulePath is the root module's path.
const modulePath = "github.com/ofmcast/ofmcast"

// allowed lists, package by package, every import outside the standard library that non-test code
// may have. Paths of this module are written relative to it, others in full; the root package is ".".
// To add a package, add its line.
var allowed = map[string][]string{
	".": {},

	"ofgroup":                   {"ofgroup/internal/deadline", "internal/openflow"},
	"ofgroup/internal/chaos":    {},
	"ofgroup/internal/deadline": {},
	"ofgroup/ofconn":            {"ofgroup", "ofgroup/internal/deadline", "internal/openflow"},
	"ofgroup/ofgrouptest":       {"ofgroup", "internal/openflow"},

	"igmp": {},
	"igmp/igmpconn": {
		"igmp", "github.com/mdlayher/packet", "golang.org/x/net/bpf", "golang.org/x/net/ipv4", "golang.org/x/sys/unix",
	},
	"igmp/querier": {"igmp"},
	"igmp/snooper": {"igmp"},

	"mcast":                    {},
	"mcast/internal/modeltest": {},
	"mcast/mcasttest":          {"mcast"},

	"mroute": {
		"github.com/mdlayher/netlink", "github.com/mdlayher/packet", "golang.org/x/net/bpf", "golang.org/x/sys/unix",
	},

	"internal/archtest": {},
	"internal/openflow": {},
	"internal/ovslab":   {"golang.org/x/sys/unix"},
	"internal/pcap":     {},
	"internal/picture":  {},
	"internal/readme":   {},
	"internal/turmoil":  {},
}

// allowedInTests are third-party modules that test files may use besides the above.
var allowedInTests = []string{
	"github.com/google/go-cmp",
	"github.com/stretchr/testify",
	"go.uber.org/goleak",
	"pgregory.net/rapid",
}

// rooms are the packages that never import one another, not even in their tests.
var rooms = []string{"ofgroup", "igmp", "mcast", "mroute"}
