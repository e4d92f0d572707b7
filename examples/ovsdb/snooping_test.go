package ovsdb_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/examples/ovsdb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const floodKey = "other_config:mcast-snooping-disable-flood-unregistered"

var on = ovsdb.SnoopingState{Enabled: true, DisableFloodUnregistered: "true"}

func TestSnoopingIsSetAsVsctlReadsItAndTheRestIsKept(t *testing.T) {
	l := newLab(t)
	l.vsctl("set", "bridge", "br0", "other_config:mcast-snooping-aging-time=15", "other_config:hwaddr=02:00:00:00:00:01")
	const foreign = `hwaddr="02:00:00:00:00:01", mcast-snooping-aging-time="15"`

	require.Zero(t, l.setSnooping(on))
	require.Equal(t, "true", l.vsctl("get", "bridge", "br0", "mcast_snooping_enable"))
	require.Equal(t, `"true"`, l.vsctl("get", "bridge", "br0", floodKey))
	require.Equal(t, `{hwaddr="02:00:00:00:00:01", mcast-snooping-aging-time="15", mcast-snooping-disable-flood-unregistered="true"}`,
		l.vsctl("get", "bridge", "br0", "other_config"))
	require.Equal(t, on, l.bridge().Snooping())

	require.Equal(t, on, l.setSnooping(ovsdb.SnoopingState{}))
	require.Equal(t, "false", l.vsctl("get", "bridge", "br0", "mcast_snooping_enable"))
	require.Equal(t, "{"+foreign+"}", l.vsctl("get", "bridge", "br0", "other_config"))
}

func TestSnoopingIsRestoredToWhatItWas(t *testing.T) {
	l := newLab(t)
	l.vsctl("set", "bridge", "br0", "other_config:foreign=1")
	for _, set := range [][]string{
		{"mcast_snooping_enable=false"},
		{"mcast_snooping_enable=true"},
		{"mcast_snooping_enable=false", floodKey + "=true"},
		{"mcast_snooping_enable=true", floodKey + "=true"},
		{"mcast_snooping_enable=true", floodKey + "=false"},
		{"mcast_snooping_enable=true", floodKey + "=yes, please"},
	} {
		l.vsctl("remove", "bridge", "br0", "other_config", strings.TrimPrefix(floodKey, "other_config:"),
			"--", "set", "bridge", "br0", set[0])
		for _, s := range set[1:] {
			l.vsctl("set", "bridge", "br0", strings.ReplaceAll(s, "yes, please", `"yes, please"`))
		}
		before := l.vsctl("get", "bridge", "br0", "mcast_snooping_enable", "other_config")
		previous := l.setSnooping(on)
		require.Equal(t, on, l.setSnooping(previous), set)
		require.Equal(t, before, l.vsctl("get", "bridge", "br0", "mcast_snooping_enable", "other_config"), set)
		require.Equal(t, previous, l.bridge().Snooping())
	}
}

// TestTheSwitchSnoopsWhenSetSnoopingReturns asks the switch itself.
func TestTheSwitchSnoopsWhenSetSnoopingReturns(t *testing.T) {
	l := newLab(t)
	for range 5 {
		l.setSnooping(on)
		_, err := l.Appctl(t.Context(), "mdb/show", "br0")
		require.NoError(t, err)
		next, cur := l.vsctl("get", "open_vswitch", ".", "next_cfg"), l.vsctl("get", "open_vswitch", ".", "cur_cfg")
		require.Equal(t, next, cur)
		l.setSnooping(ovsdb.SnoopingState{})
	}
}

func TestWithoutASwitchTheChangeIsWrittenButNotApplied(t *testing.T) {
	l := newLab(t)
	require.NoError(t, l.KillSwitch())
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	previous, err := l.SetSnooping(ctx, "br0", on)
	require.ErrorIs(t, err, ovsdb.ErrNotApplied)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Zero(t, previous)
	require.Equal(t, on, l.bridge().Snooping())
	require.Equal(t, "true", l.vsctl("--no-wait", "get", "bridge", "br0", "mcast_snooping_enable"))
}

func TestSetSnoopingReturnsOnceTheSwitchIsBack(t *testing.T) {
	l := newLab(t)
	require.NoError(t, l.KillSwitch())
	ended := make(chan error, 1)
	go func() {
		_, err := l.SetSnooping(t.Context(), "br0", on)
		ended <- err
	}()
	require.Eventually(t, func() bool { return l.bridge().Snooping() == on }, 5*time.Second, time.Millisecond)
	require.Empty(t, ended, "it waits")
	require.NoError(t, l.RestartSwitch(t.Context()))
	require.NoError(t, <-ended)
}

func TestOneClientServesManyGoroutines(t *testing.T) {
	l := newLab(t, "p1", "p2")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 10 {
				if i%2 == 0 {
					_, err := l.SetSnooping(t.Context(), "br0", on)
					assert.NoError(t, err)
				}
				br, err := l.Client.Bridge(t.Context(), "br0")
				assert.NoError(t, err)
				assert.Len(t, br.Ports, 3)
			}
		})
	}
	wg.Wait()
	require.Equal(t, on, l.bridge().Snooping())
}
