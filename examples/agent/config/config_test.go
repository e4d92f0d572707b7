package config_test

import (
	"errors"
	"flag"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/config"
	"github.com/ofmcast/ofmcast/examples/agent/policy"
	"github.com/ofmcast/ofmcast/mcast"
)

const example = `# the agent of this host
bridge: br0
uplink: [eth1, eth2]
query-interval: 60s
verbose: true

policy:
  rules:
    - deny: {port: vm7, group: 239.1.2.3/16}
    - allow: {group: 239.0.0.0/8, source: 192.0.2.1}
  rest: deny
  static:
    - {port: vm1, group: 239.1.1.1, vlan: 10, sources: [192.0.2.1]}
    - port: vm2
      group: 239.1.1.2
  drain: [vm9]
  freeze: true
`

// flags are those of a small program.
type flags struct {
	*flag.FlagSet
	bridge   string
	uplinks  []string
	interval time.Duration
	verbose  bool
}

func newFlags(t *testing.T, args ...string) *flags {
	t.Helper()
	f := &flags{FlagSet: flag.NewFlagSet("", flag.ContinueOnError)}
	f.SetOutput(io.Discard)
	f.StringVar(&f.bridge, "bridge", "", "")
	f.Var(config.List(func(s string) error { f.uplinks = append(f.uplinks, s); return nil }), "uplink", "")
	f.DurationVar(&f.interval, "query-interval", 0, "")
	f.BoolVar(&f.verbose, "verbose", false, "")
	require.NoError(t, f.Parse(args))
	return f
}

func TestAFileSaysWhatTheCommandLineCanSayToo(t *testing.T) {
	f, err := config.Parse("agent.yaml", []byte(example))
	require.NoError(t, err)
	fs := newFlags(t)
	require.NoError(t, f.Apply(fs.FlagSet))
	require.Equal(t, "br0", fs.bridge)
	require.Equal(t, []string{"eth1", "eth2"}, fs.uplinks)
	require.Equal(t, time.Minute, fs.interval)
	require.True(t, fs.verbose)

	fs = newFlags(t, "-bridge", "br9", "-uplink", "eth9", "-verbose=false")
	require.NoError(t, f.Apply(fs.FlagSet))
	require.Equal(t, "br9", fs.bridge, "the command line wins")
	require.Equal(t, []string{"eth9"}, fs.uplinks)
	require.False(t, fs.verbose)
	require.Equal(t, time.Minute, fs.interval)
}

func TestAFileHasThePolicy(t *testing.T) {
	f, err := config.Parse("agent.yaml", []byte(example))
	require.NoError(t, err)
	source := netip.MustParseAddr("192.0.2.1")
	require.Equal(t, policy.Policy{
		Rules: []policy.Rule{
			{Deny: true, Port: "vm7", Group: netip.MustParsePrefix("239.1.0.0/16"), At: "agent.yaml:9"},
			{Group: netip.MustParsePrefix("239.0.0.0/8"), Source: netip.MustParsePrefix("192.0.2.1/32"), At: "agent.yaml:10"},
		},
		DenyRest: true,
		Static: []policy.Static{
			{Port: "vm1", Group: mcast.Group{Addr: netip.MustParseAddr("239.1.1.1"), Segment: 10}, Sources: []netip.Addr{source}},
			{Port: "vm2", Group: mcast.Group{Addr: netip.MustParseAddr("239.1.1.2")}},
		},
		Drain: []string{"vm9"}, Freeze: true,
	}, f.Policy)
}

func TestErrorsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"bridge: br0\nnonsense: 1\n":                                     `agent.yaml:2: unknown key "nonsense"`,
		"bridge: br0\nquery-interval: soon\n":                            `agent.yaml:2: query-interval: parse error`,
		"uplink:\n  - eth1\n  - {a: b}\n":                                `agent.yaml:3: syntax: a single value expected`,
		"bridge: br0\nbridge: br1\n":                                     `agent.yaml:2: key repeated "bridge"`,
		"policy:\n  rulez: []\n":                                         `agent.yaml:2: unknown key "rulez"`,
		"policy:\n  rules:\n    - deny: {prot: vm1}\n":                   `agent.yaml:3: unknown key "prot"`,
		"policy:\n  rules:\n    - forbid: {}\n":                          `agent.yaml:3: unknown key "forbid"`,
		"policy:\n  rules:\n    - deny: {}\n      allow: {}\n":           `agent.yaml:3: syntax: allow: {…} or deny: {…} expected`,
		"policy:\n  rules:\n    - deny:\n        group: 239.0.0.0/99\n":  `agent.yaml:4: syntax: "239.0.0.0/99" is no range`,
		"policy:\n  rules:\n    - deny: {source: '2001:db8::/32'}\n":     `agent.yaml:3: syntax: "2001:db8::/32" is no range`,
		"policy:\n  rest: maybe\n":                                       `agent.yaml:2: syntax: rest is allow or deny`,
		"policy:\n  freeze: cold\n":                                      `agent.yaml:2: syntax: freeze is true or false`,
		"policy:\n  drain: vm1\n":                                        `agent.yaml:2: syntax: a list expected`,
		"policy:\n  static:\n    - {port: vm1}\n":                        `agent.yaml:3: syntax: a static join needs`,
		"policy:\n  static:\n    - {port: v, group: 10.0.0.1}\n":         `agent.yaml:3: syntax: 10.0.0.1 is no multicast group`,
		"policy:\n  static:\n    - {port: v, group: 224.0.0.5}\n":        `agent.yaml:3: syntax: 224.0.0.5 is not joined`,
		"policy:\n  static:\n    - {port: v, group: x}\n":                `agent.yaml:3: syntax: "x" is no IPv4 address`,
		"policy:\n  static:\n    - {port: v, group: 239.1.1.1, vlan: x}": `agent.yaml:3: syntax: "x" is no VLAN`,
		"- a list\n":                       `agent.yaml:1: syntax: KEY: VALUE expected`,
		"bridge: br0\n\tgateway: gw0\n":    `agent.yaml:2: syntax: found a tab character`,
		"bridge: &a [*a]\n":                `agent.yaml`,
		"rules:\n  - deny: {}\n":           `agent.yaml:1: unknown key "rules"`,
		"uplinks:\n  - eth1\n":             `agent.yaml:1: unknown key "uplinks"`,
		"bridge: br0\nstatic: {port: a}\n": `agent.yaml:2: unknown key "static"`,
		"policy: {rules: {deny: {}}}\n":    `agent.yaml:1: syntax: a list expected`,
		"bridge: br0\n---\nbridge: br1\n":  `a second document`,
		"policy:\n  static:\n    - {port: v, group: 239.1.1.1, sources: [224.0.0.1]}": `agent.yaml:3: syntax: "224.0.0.1" is no source`,
		"policy:\n  rules:\n    - deny: {port: }\n":                                   `agent.yaml:3: syntax: the name of a port expected`,
		"policy:\n  drain: [~]\n":                                                     `agent.yaml:2: syntax: the name of a port expected`,
		"policy: 5\n":                                                                 `agent.yaml:1: syntax: KEY: VALUE expected`,
		"uplink: [a]\nbridge: [br0, br1]\n":                                           `agent.yaml:2: syntax: bridge takes one value, not a list`,
		"bridge: []\n":                                                                `agent.yaml:1: syntax: bridge takes one value, not a list`,
		"verbose:\n  - true\n  - false\n":                                             `agent.yaml:2: syntax: verbose takes one value, not a list`,
		"bridge: ~\n":                                                                 `agent.yaml:1: syntax: bridge has no value`,
		"verbose: true\nbridge:\n":                                                    `agent.yaml:2: syntax: bridge has no value`,
		"uplink: [~]\n":                                                               `agent.yaml:1: syntax: a single value expected`,
		"policy:\n  rules:\n    - deny:\n":                                            `agent.yaml:3: syntax: KEY: VALUE expected`,
		"policy: {rules: [deny: {group: ~}]}\n":                                       `agent.yaml:1: syntax: "~" is no range`,
		"policy: {rules: [deny: {source: ~}]}\n":                                      `agent.yaml:1: syntax: "~" is no range`,
		"policy:\n  static:\n    - {port: v, group: 239.1.1.1, vlan: 4095}":           `agent.yaml:3: syntax: "4095" is no VLAN`,
		"policy:\n  static:\n    - {port: v, group: 239.1.1.1, sources: []}":          `agent.yaml:3: syntax: sources names none`,
		"policy:\n  static:\n    - {port: v, group: 239.1.1.1, sources: }":            `agent.yaml:3: syntax: sources names none`,
		"policy:\n  static: [{port: v, group: 239.1.1.1},\n  {port: v, group: 239.1.1.1}]": `agent.yaml:3: key repeated: v joins`,
	} {
		f, err := config.Parse("agent.yaml", []byte(text))
		if err == nil {
			err = f.Apply(newFlags(t).FlagSet)
		}
		require.ErrorContains(t, err, want, text)
	}
}

func TestErrorsAreMatchedWithoutTheirText(t *testing.T) {
	for text, want := range map[string]error{
		"# \nnonsense: 1": config.ErrUnknown, "# \nbridge: a\nbridge: b": config.ErrRepeated, "# \n{": config.ErrSyntax,
	} {
		f, err := config.Parse("agent.yaml", []byte(text))
		if err == nil {
			err = f.Apply(newFlags(t).FlagSet)
		}
		require.ErrorIs(t, err, want)
		var at *config.Error
		require.ErrorAs(t, err, &at)
		require.Equal(t, "agent.yaml", at.Path)
		require.Positive(t, at.Line)
	}
}

func TestRulesThatNothingCanMatchAreRefused(t *testing.T) {
	for rule, want := range map[string]string{
		"{group: 10.0.0.0/8}":       "10.0.0.0/8 never matches: it has no multicast group",
		"{group: 192.0.2.1}":        "192.0.2.1 never matches",
		"{group: 224.0.0.251}":      "224.0.0.251 never matches: what is in 224.0.0.0/24 goes to every port",
		"{group: 224.0.0.128/25}":   "never matches",
		"{source: 239.1.1.1}":       "239.1.1.1 never matches: no packet comes from there",
		"{source: 232.0.0.0/8}":     "never matches",
		"{source: 0.0.0.0}":         "never matches",
		"{source: 255.255.255.255}": "never matches",
	} {
		_, err := config.Parse("agent.yaml", []byte("policy:\n  rules:\n  - deny: "+rule))
		require.ErrorContains(t, err, "agent.yaml:3: syntax: ", rule)
		require.ErrorContains(t, err, want)
	}
	for _, rule := range []string{"{group: 0.0.0.0/0}", "{group: 224.0.0.0/4}", "{group: 224.0.0.0/16}", "{source: 0.0.0.0/0}", "{source: 240.0.0.1}", "{}"} {
		_, err := config.Parse("agent.yaml", []byte("policy:\n  rules:\n  - deny: "+rule))
		require.NoError(t, err, rule)
	}
}

func TestWhatIsAllCommentedOutIsEmpty(t *testing.T) {
	for _, text := range []string{
		"policy:\n", "policy: ~\n", "policy:\n  rules:\n  #  - deny: {}\n  static:\n  drain:\n", "uplink:\n  # - eth1\nverbose: true\n", "uplink: []\n",
	} {
		f, err := config.Parse("agent.yaml", []byte(text))
		require.NoError(t, err, text)
		fs := newFlags(t)
		require.NoError(t, f.Apply(fs.FlagSet), text)
		require.Empty(t, fs.uplinks)
		require.Equal(t, policy.Policy{}, f.Policy, text)
	}
}

func TestAnErrorAboutFlagsIsThatOfTheLineThatSetThem(t *testing.T) {
	cause := errors.New("cause")
	f, err := config.Parse("agent.yaml", []byte(example))
	require.NoError(t, err)
	require.NoError(t, f.Apply(newFlags(t, "-bridge", "br9").FlagSet))
	require.EqualError(t, f.Blame(cause, "nothing", "bridge", "uplink"), "agent.yaml:3: cause", "the bridge is the command line's")
	require.ErrorIs(t, f.Blame(cause, "verbose"), cause)
	require.Equal(t, cause, f.Blame(cause, "bridge"))
	require.NoError(t, f.Blame(nil, "verbose"))
	require.Equal(t, cause, (*config.File)(nil).Blame(cause, "verbose"))
}

func TestEmptyFilesAreFilesAndLargeOnesAreNot(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "---\n"} {
		_, err := config.Parse("agent.yaml", []byte(text))
		require.NoError(t, err, "%q", text)
	}
	_, err := config.Parse("agent.yaml", []byte(strings.Repeat("#\n", 4<<20)))
	require.Error(t, err)
	_, err = config.Read("/dev/zero")
	require.ErrorContains(t, err, "/dev/zero: more than")
	_, err = config.Read(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestWhatOnlyTheStartReadsIsCompared(t *testing.T) {
	parse := func(s string) *config.File {
		f, err := config.Parse("", []byte(s))
		require.NoError(t, err)
		return f
	}
	a := parse(example)
	require.True(t, a.SameFlags(parse("# moved down\n\n"+strings.Replace(example, "freeze: true", "freeze: false", 1))))
	require.False(t, a.SameFlags(parse(strings.Replace(example, "br0", "br1", 1))))
	require.False(t, a.SameFlags(parse("bridge: br0\n")))
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("policy: {rules: [{deny: {}}], static: [{port: a}]}"))
	f.Add([]byte("a: &x b\nc: *x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := config.Parse("f", data)
		if err != nil {
			return
		}
		for _, s := range file.Policy.Static {
			require.True(t, s.Group.Addr.Is4() && s.Group.Addr.IsMulticast() && s.Port != "")
		}
	})
}

func TestAFileWithoutAKeyIsEmpty(t *testing.T) {
	for text, empty := range map[string]bool{
		"": true, "# bridge: br0\n": true, "---\n": true, "{}": true, "policy:\n": false, "bridge: br0\n": false, "policy: {}\n": false,
	} {
		f, err := config.Parse("file", []byte(text))
		require.NoError(t, err, text)
		require.Equal(t, empty, f.Empty(), "%q", text)
	}
}
