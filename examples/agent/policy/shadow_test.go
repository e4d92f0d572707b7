package policy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/policy"
)

func TestARuleThatNeverDecidesIsNamed(t *testing.T) {
	g, wide, s, wideS := prefix("239.1.2.0/24"), prefix("239.0.0.0/8"), prefix("198.51.100.1/32"), prefix("198.51.100.0/24")
	for name, c := range map[string]struct {
		first, second policy.Rule
		useless       bool
	}{
		"the same":                         {policy.Rule{Group: g}, policy.Rule{Group: g, Deny: true}, true},
		"part of a range":                  {policy.Rule{Group: wide}, policy.Rule{Group: g}, true},
		"more than a range":                {policy.Rule{Group: g}, policy.Rule{Group: wide}, false},
		"of one port":                      {policy.Rule{Group: wide}, policy.Rule{Group: g, Port: "vm1"}, true},
		"of another port":                  {policy.Rule{Port: "vm2"}, policy.Rule{Port: "vm1"}, false},
		"of all ports":                     {policy.Rule{Port: "vm2"}, policy.Rule{}, false},
		"behind everything":                {policy.Rule{}, policy.Rule{Port: "vm1", Deny: true}, true},
		"every group by its range":         {policy.Rule{Group: prefix("224.0.0.0/4")}, policy.Rule{Deny: true}, true},
		"more than every group":            {policy.Rule{Group: prefix("224.0.0.0/4")}, policy.Rule{Group: prefix("0.0.0.0/0")}, true},
		"a source of a denied range":       {policy.Rule{Source: wideS, Deny: true}, policy.Rule{Source: s}, true},
		"a source of an allowed range":     {policy.Rule{Source: wideS}, policy.Rule{Source: s}, true},
		"denied, of an allowed range":      {policy.Rule{Source: wideS}, policy.Rule{Source: s, Deny: true}, false}, // for who asks for every source
		"every source, behind an allowed":  {policy.Rule{Source: prefix("0.0.0.0/0")}, policy.Rule{}, false},
		"every source, behind a denied":    {policy.Rule{Source: prefix("0.0.0.0/0"), Deny: true}, policy.Rule{}, true},
		"every source, behind some denied": {policy.Rule{Source: wideS, Deny: true}, policy.Rule{}, false},
	} {
		p := policy.Policy{Rules: []policy.Rule{c.first, c.second}}
		require.Equal(t, c.useless, len(p.Useless()) == 1, name)
	}
	p := policy.Policy{Rules: []policy.Rule{{At: "f:3"}, {Port: "a", At: "f:4"}, {Port: "b"}}}
	require.Equal(t, []string{"rule 2 (f:4) never decides: rule 1 (f:3) does, before it", "rule 3 never decides: rule 1 (f:3) does, before it"}, p.Useless())
}

func TestWhatDecidesIsNamed(t *testing.T) {
	p := policy.Policy{Rules: []policy.Rule{
		{Deny: true, Group: prefix("233.252.0.1/32"), Source: prefix("198.51.100.0/24"), At: "agent.yaml:5"}, {Port: "vm2"},
	}, Drain: []string{"vm9"}}
	require.Equal(t, "rule 1 (agent.yaml:5), for every source is 198.51.100.0/24 too", p.Reason("vm1", g1, all))
	require.Equal(t, "rule 1 (agent.yaml:5)", p.Reason("vm1", g1, s1))
	require.Equal(t, "no rule matches", p.Reason("vm1", g1, s2))
	require.Equal(t, "rule 2", p.Reason("vm2", g2, all))
	require.Equal(t, "drain", p.Reason("vm9", g2, all))
	p.DenyRest = true
	require.Equal(t, "rest: deny, as no rule matches", p.Reason("vm1", g2, all))
}
