//go:build linux

package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/view"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// freeAddress is where nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return l.Addr().String()
}

// get returns what an agent answers.
func get(t *testing.T, url string) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	resp, err := client.Get(url)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, 200, resp.StatusCode, string(body))
	return string(body)
}

// stateAt returns the state of an agent.
func stateAt(t *testing.T, address string) (s view.State) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(get(t, "http://"+address+"/api/state")), &s))
	return s
}

func TestARunningAgentShowsWhatItDoes(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	r := newRig(t, []string{"-http", address}, versions...)
	r.join("v2", group)
	r.awaitBuckets(group, 5*time.Second, "2") // members are shown in the order in which they were heard
	r.join("v3", group, r.lab.Host("sender").Addr())
	var s view.State
	await := func(packets uint64) {
		eventually(t, func() bool {
			s = stateAt(t, address)
			return len(s.Groups) == 1 && len(s.Groups[0].Members) == 2 && len(s.Groups[0].Rows) == 2 && s.Groups[0].Rows[1].Packets == packets
		}, 10*time.Second, 200*time.Millisecond, "members, and the packets of the source's group")
	}
	await(0)
	time.Sleep(settled)
	r.send("sender", ovslab.Stream{To: group, Packets: 100})
	await(100)
	r.join("v1", group)
	eventually(t, func() bool { return len(stateAt(t, address).Groups[0].Members) == 3 }, 10*time.Second, 200*time.Millisecond)
	s = stateAt(t, address)
	require.EqualValues(t, 100, s.Groups[0].Rows[1].Packets, "another member does not begin the count anew")
	members := s.Groups[0].Members
	require.Equal(t, []string{"v2", "v3"}, []string{members[0].Name, members[1].Name})
	require.Equal(t, []uint8{2, 3}, []uint8{members[0].IGMP, members[1].IGMP})
	require.Equal(t, "INCLUDE", members[1].Mode)
	require.True(t, s.Switch.Connected)
	require.NotZero(t, s.Switch.GroupMods)
	require.True(t, s.Querier.Self)
	require.Equal(t, view.Seconds(2*time.Second), s.Querier.Interval)

	for _, p := range s.Ports {
		if p.Name != "v2" {
			continue
		}
		require.EqualValues(t, 2, p.Number)
		require.Equal(t, "member", p.Role)
		require.EqualValues(t, 2, p.IGMP)
		require.NotZero(t, p.V2)
		require.Len(t, p.Hosts, 1)
		require.Equal(t, r.lab.Host("v2").Addr(), p.Hosts[0].Addr)
		require.NotNil(t, p.LastQuery)
		require.NotNil(t, p.LastAnswer)
	}
	require.Contains(t, get(t, "http://"+address+"/metrics"), "\nofmcast_switch_connected 1\n")
	require.Contains(t, get(t, "http://"+address+"/healthz"), "switch connected")
	require.Contains(t, get(t, "http://"+address+"/"), "Multicast on")
}
