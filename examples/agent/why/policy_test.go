package why_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/policy"
	"github.com/ofmcast/ofmcast/examples/agent/view"
)

func TestWhatThePolicyDeniesIsDeniedByARule(t *testing.T) {
	s := state()
	s.Ports[2].Denied = 4
	s.Policy = &policy.Policy{Rules: []policy.Rule{
		{Port: "vm1"},
		{Deny: true, Group: netip.MustParsePrefix("233.252.0.0/24"), Source: netip.MustParsePrefix("198.51.100.2/32"), At: "agent.yaml:7"},
		{Deny: true, Group: netip.MustParsePrefix("239.9.9.9/32"), At: "agent.yaml:8"},
	}}
	for words, want := range map[string]struct{ because, step string }{
		"233.252.0.1 vm3": {"denied by rule 2 (agent.yaml:7), for every source is 198.51.100.2/32 too",
			"the policy denies a join of 233.252.0.1 for every source: rule 2 (agent.yaml:7), for every source is 198.51.100.2/32 too\n4 reports from there, for whatever group"},
		"233.252.0.1 198.51.100.2 vm3": {"denied by rule 2 (agent.yaml:7)", "for 198.51.100.2: rule 2"},
		"233.252.0.1 198.51.100.9 vm3": {"denied by rule 2 (agent.yaml:7), for every source is 198.51.100.2/32 too, unless hosts ask for 198.51.100.9 alone, which takes IGMPv3", "for every source: rule 2"},
		"233.252.0.1 198.51.100.2 vm2": {"denied by rule 2 (agent.yaml:7)", "198.51.100.2 is not among the sources"},
		"233.252.0.1 198.51.100.9 vm2": {"the hosts behind the port do not want this source", ""},
		"239.9.9.9 vm1":                {"no host behind the port has joined, or the agent has not heard it", "the policy allows it: rule 1"},
		"239.9.9.9 198.51.100.9 vm3":   {"denied by rule 3 (agent.yaml:8)", ""},
		"233.252.0.9 vm1":              {"no host behind the port has joined, or the agent has not heard it", "the policy allows it: rule 1"},
	} {
		a, text := ask(t, s, all, words)
		require.False(t, a.Receives)
		require.Equal(t, want.because, a.Because, words)
		require.Contains(t, text, want.step, words)
	}
	_, text := ask(t, s, all, "239.9.9.8 vm3")
	require.NotContains(t, text, "denied", "they were for other groups")
	require.Contains(t, text, "the policy allows it: no rule matches")
	s.Policy = &policy.Policy{DenyRest: true}
	a, _ := ask(t, s, all, "239.9.9.8 vm3")
	require.Equal(t, "denied by rest: deny, as no rule matches", a.Because)
}

func TestFrozenMembershipsMayBeThoseOfHostsThatHaveLeft(t *testing.T) {
	s := state()
	_, text := ask(t, s, all, "233.252.0.1 vm1")
	require.NotContains(t, text, "frozen")
	s.Policy = &policy.Policy{Freeze: true}
	a, text := ask(t, s, all, "233.252.0.1 vm1")
	require.True(t, a.Receives)
	require.Contains(t, text, "memberships are frozen")
}

func TestAGroupInAVLANThatThePortHasNotIsAnotherOne(t *testing.T) {
	s := state()
	s.Ports[0].Carries = view.Ranges([]uint16{10, 11, 12, 20})
	s.Ports[1].Carries = view.Ranges([]uint16{0})
	s.Ports[2].Carries = view.Ranges(nil)
	for words, want := range map[string]struct{ because, step string }{
		"233.252.0.1@99 vm1":           {"VLAN 99 is not served: no port's settings and no -vlan name it", "port vm1 carries VLANs 10 to 12, VLAN 20"},
		"233.252.0.1 vm1":              {"the port carries nothing outside its VLANs; ask for 233.252.0.1@VLAN", "port vm1 carries VLANs 10 to 12, VLAN 20"},
		"233.252.0.1@10 vm2":           {"the port is not in VLAN 10", "port vm2 carries packets without a VLAN"},
		"233.252.0.1@10 vm3":           {"the port is not in VLAN 10", "port vm3 carries no VLAN that is served"},
		"233.252.0.1@11 vm1":           {"no host behind the port has joined, or the agent has not heard it", ""},
		"233.252.0.1 198.51.100.9 vm2": {"the hosts behind the port do not want this source", ""},
	} {
		a, text := ask(t, s, all, words)
		require.False(t, a.Receives)
		require.Equal(t, want.because, a.Because, words)
		require.Contains(t, text, want.step, words)
	}
}
