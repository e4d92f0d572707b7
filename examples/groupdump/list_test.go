package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// switchWithGroups is a real switch with three groups and a flow to one of them.
func switchWithGroups(t *testing.T) *ovslab.Lab {
	t.Helper()
	lab := ovslab.New(t, ovslab.Config{Ports: []string{"eth1", "tap0"}})
	groups := `group_id=1000,type=all,bucket=bucket_id:0,actions=output:1,bucket=bucket_id:7,actions=output:2
group_id=7,type=select,selection_method=dp_hash,bucket=bucket_id:3,weight:100,watch_port:1,actions=set_field:0x5->reg3,resubmit(,6)
group_id=8,type=ff
`
	_, err := lab.OfctlInput(t.Context(), groups, "add-groups", lab.Mgmt(), "-")
	require.NoError(t, err)
	_, err = lab.Ofctl(t.Context(), "add-flow", lab.Mgmt(), "priority=7,actions=group:1000")
	require.NoError(t, err)
	return lab
}

// inject sends a packet of 60 bytes into the switch.
func inject(t *testing.T, lab *ovslab.Lab) {
	t.Helper()
	const frame = "01005e010101" + "020000000001" + "88b5"
	_, err := lab.Appctl(t.Context(), "netdev-dummy/receive", "eth1", frame+strings.Repeat("00", 46))
	require.NoError(t, err)
}

var anyAge = regexp.MustCompile(`(?m)^(\d+ +\w+) +\d+s`)

// until calls again and again what must be true at some time.
func until(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); {
		require.True(t, time.Now().Before(end), "not in 30 s")
	}
}

func TestTheGroupsOfARealSwitchAreListed(t *testing.T) {
	lab := switchWithGroups(t)
	relay, err := lab.Relay()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, relay.Close()) })
	for range 3 {
		inject(t, lab)
	}
	var out string
	until(t, func() bool { // the switch counts what its datapath has seen, now and then
		status, text, errOut := groupdump(t, "", "-switch", "unix:"+relay.Path())
		require.Empty(t, errOut)
		require.Equal(t, exitDone, status)
		out = text
		return strings.Contains(out, "180")
	})
	require.Equal(t, "unix:"+relay.Path()+`: 3 groups, 3 buckets, OpenFlow 1.5

GROUP       TYPE    AGE  USERS  PACKETS  BYTES
7           select #s      0        0      0  selection_method=dp_hash
  bucket 3                            0      0  weight:100,watch_port:eth1,actions=set_field:0x5->reg3,resubmit(,6)
8           ff #s      0        0      0  no buckets: drops every packet
1000        all #s      1        3    180
  bucket 0                            3    180  actions=output:eth1
  bucket 7                            3    180  actions=output:tap0
`, anyAge.ReplaceAllString(out, "$1 #s"))

	for _, m := range relay.ToSwitch().Messages {
		require.NotContains(t, []byte{openflow.TypeGroupMod, openflow.TypeFlowMod, openflow.TypeRoleRequest}, m[1], "it only looks")
		if r, err := ofgroup.ParseRequest(m); err == nil && r.Kind == ofgroup.RequestDesc {
			require.NotEqual(t, ofgroup.AllGroups, r.ID)
		}
	}
}

// screen is a writer that another goroutine reads.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func TestAWatchOfARealSwitchShowsRatesUntilItIsEnded(t *testing.T) {
	lab := switchWithGroups(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out, errOut screen
	ended := make(chan int)
	go func() {
		args := []string{"-switch", "unix:" + lab.Mgmt(), "-watch", "-interval", "50ms"}
		ended <- run(ctx, args, strings.NewReader(""), &out, &errOut)
	}()
	flowing := regexp.MustCompile(`\n1000 +all +\d+s +1 +[\d,]+ +[\d,]+ +[1-9][\d,.]* +[1-9][\d,.]*\n  bucket 0 +[\d,]+ +[\d,]+ +[1-9]`)
	until(t, func() bool {
		inject(t, lab)
		return flowing.MatchString(out.String())
	})
	stop()
	require.Equal(t, exitDone, <-ended)
	require.Empty(t, errOut.String())
	require.NotContains(t, out.String(), "\x1b", "only a terminal is drawn on")
}

func TestATerminalIsDrawnOverAndLeftAsItWas(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	f, frames := some(), 0
	f.hurry = func() {
		if frames++; frames == 3 {
			stop()
		}
	}
	var out bytes.Buffer
	require.NoError(t, show(ctx, f, options{address: "sw", watch: true, interval: time.Nanosecond, describe: 9}, &out, true))
	text, ok := strings.CutPrefix(out.String(), clearScreen+noWrap+home)
	require.True(t, ok)
	text, ok = strings.CutSuffix(text, clearBelow+wrap)
	require.True(t, ok)
	drawn := strings.Split(text, clearBelow+home)
	require.Len(t, drawn, 3)
	for _, frame := range drawn {
		require.True(t, strings.HasPrefix(frame, "sw: 3 groups, 5 buckets, OpenFlow 1.5"+clearLine+"\n"))
		require.Equal(t, strings.Count(frame, "\n"), strings.Count(frame, clearLine+"\n"))
	}
}

func TestASwitchThatCannotBeReadIsToldAtOnce(t *testing.T) {
	status, out, errOut := groupdump(t, "", "-switch", "unix:"+t.TempDir()+"/none")
	require.Equal(t, exitUsage, status)
	require.Empty(t, out)
	require.Regexp(t, `^groupdump: .*no such file or directory\n$`, errOut)

	// In OpenFlow 1.3 descriptions can only be asked for all together.
	lab := ovslab.New(t, ovslab.Config{Protocols: "OpenFlow13"})
	status, out, errOut = groupdump(t, "", "-switch", "unix:"+lab.Mgmt())
	require.Equal(t, exitUsage, status)
	require.Empty(t, out)
	require.Regexp(t, `^groupdump: .*OpenFlow 1.5.*\n$`, errOut)
}

// A dump of one switch, as messages off the wire, makes the same groups on another.
func TestWhatIsDecodedCanBePastedIntoOvsOfctl(t *testing.T) {
	from, to := switchWithGroups(t), ovslab.New(t, ovslab.Config{})
	relay, err := from.Relay()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, relay.Close()) })
	dump, err := from.Ofctl(t.Context(), "dump-groups", "unix:"+relay.Path())
	require.NoError(t, err)
	_, err = from.Ofctl(t.Context(), "dump-group-stats", "unix:"+relay.Path())
	require.NoError(t, err)

	var in strings.Builder
	for _, m := range relay.FromSwitch().Type(openflow.TypeMultipartReply) {
		in.WriteString(hex.EncodeToString(m) + "\n")
	}
	_, lines, errOut := groupdump(t, in.String())
	require.Empty(t, errOut)
	require.Contains(t, lines, "# group_id=8,duration=")
	_, err = to.OfctlInput(t.Context(), lines, "add-groups", to.Mgmt(), "-")
	require.NoError(t, err)
	again, err := to.Ofctl(t.Context(), "dump-groups", to.Mgmt())
	require.NoError(t, err)
	require.ElementsMatch(t, groupLines(dump), groupLines(again))
}

// groupLines are the groups that ovs-ofctl has printed, in no order.
func groupLines(dump string) []string {
	_, lines, _ := strings.Cut(strings.TrimSpace(dump), "\n")
	return strings.Split(lines, "\n")
}
