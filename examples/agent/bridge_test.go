//go:build linux

package main

import (
	"bytes"
	"io"
	"log/slog"
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

func vsctl(t *testing.T, lab *ovslab.Lab, args ...string) string {
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

func TestNoBridgeAndNoDatabaseAreClearErrors(t *testing.T) {
	t.Parallel()
	lab := ovslab.New(t, ovslab.Config{})
	_, err := prepare(t, lab, "-bridge", "br7")
	require.ErrorIs(t, err, errDatabase)
	require.ErrorContains(t, err, "br7")
	_, err = prepare(t, lab, "-ovsdb", "unix:"+lab.Dir()+"/nowhere")
	require.ErrorIs(t, err, errDatabase)
}
