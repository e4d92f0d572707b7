//go:build linux

package main

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/ovsdb"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// prepare runs prepareBridge on the lab's br0 and returns what it logged.
func prepare(t *testing.T, lab *ovslab.Lab, args ...string) (string, error) {
	t.Helper()
	o, err := parseOptions(append([]string{"-ovsdb", "unix:" + lab.Dir() + "/db.sock", "-state", ""}, args...), io.Discard)
	require.NoError(t, err)
	var said bytes.Buffer
	err = prepareBridge(within(t, 10*time.Second), o, func(ovsdb.SnoopingState) {}, slog.New(slog.NewTextHandler(&said, nil)))
	return said.String(), err
}

func vsctl(t testing.TB, lab *ovslab.Lab, args ...string) string {
	t.Helper()
	out, err := lab.Vsctl(t.Context(), args...)
	require.NoError(t, err)
	return out
}

func TestTheBridgeIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1"}})
	before := vsctl(t, lab, "list", "bridge")
	said, err := prepare(t, lab)
	require.NoError(t, err)
	require.Contains(t, said, "fail mode secure")
	require.NotContains(t, said, "level=WARN")
	require.Equal(t, before, vsctl(t, lab, "list", "bridge"))
}

func TestTheBridgesOwnSnoopingIsTurnedOnWithAWarningOnly(t *testing.T) {
	t.Parallel()
	lab := ovslab.New(t, ovslab.Config{})
	said, err := prepare(t, lab, "-ovs-snooping")
	require.NoError(t, err)
	require.Contains(t, said, "IPv6")
	require.Equal(t, "true\n", vsctl(t, lab, "get", "bridge", "br0", "mcast_snooping_enable"))
	require.Contains(t, vsctl(t, lab, "get", "bridge", "br0", "other_config"), `mcast-snooping-disable-flood-unregistered="true"`)
}

func TestABridgeThatFloodsAfterARestartIsNamed(t *testing.T) {
	t.Parallel()
	lab := ovslab.New(t, ovslab.Config{FailMode: "standalone"})
	said, err := prepare(t, lab)
	require.NoError(t, err)
	require.Contains(t, said, "fail_mode=secure")
}

// An agent that is started before the switch's database, as when a machine boots, waits for it.
func TestADatabaseThatIsNotThereYetIsWaitedFor(t *testing.T) {
	t.Parallel()
	r := newLab(t, versions...)
	const address = "127.0.0.1:9500" // of the switch's machine alone
	later := r.lab.Dir() + "/later.sock"
	_, err := r.lab.Node().Run(t.Context(), "ip", "link", "set", "lo", "up")
	require.NoError(t, err)
	p := r.begin(nil, "-http", address, "-ovsdb", "unix:"+later, "-ovs-snooping")
	p.await("later.sock")
	var status string
	eventually(t, func() bool {
		status = r.inside("status", "-http", address)
		return strings.Contains(status, "the switch is not served yet")
	}, 5*time.Second, 50*time.Millisecond, "waiting")
	require.Contains(t, status, "later.sock: connect: no such file or directory")
	time.Sleep(3 * time.Second)
	require.Less(t, strings.Count(p.said.String(), "\n"), 5, "it is said once in a while: %s", p.said)
	require.NotContains(t, p.said.String(), "openflow session", "there is none yet")
	require.NotContains(t, vsctl(t, r.lab.Lab, "get", "bridge", "br0", "mcast_snooping_enable"), "true")
	require.NoError(t, os.Symlink(r.lab.Dir()+"/db.sock", later))
	p.await("switch is up to date")
	p.await("fail mode secure")
	r.join("v3", group)
	r.awaitBuckets(group, 5*time.Second, "3")
}

func TestWhoeverLooksOnlyDoesNotWait(t *testing.T) {
	t.Parallel()
	lab := ovslab.New(t, ovslab.Config{})
	o, err := parseOptions([]string{"-openflow", "unix:" + lab.Mgmt(), "-ovsdb", "unix:" + lab.Dir() + "/later", "-state", "", "-dry-run"}, io.Discard)
	require.NoError(t, err)
	err = run(within(t, 20*time.Second), o, slog.New(slog.DiscardHandler))
	require.ErrorIs(t, err, errDatabase)
	require.ErrorContains(t, err, lab.Dir()+"/later")
}

func TestNoBridgeAndNoDatabaseAreClearErrors(t *testing.T) {
	t.Parallel()
	lab := ovslab.New(t, ovslab.Config{})
	_, err := prepare(t, lab, "-bridge", "br7")
	require.ErrorIs(t, err, errDatabase)
	require.ErrorContains(t, err, "br7")
	_, err = prepare(t, lab, "-ovsdb", "unix:"+lab.Dir()+"/nowhere")
	require.ErrorIs(t, err, errDatabase)
}
