package snooper

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOddFramesHaveTheirVerdicts(t *testing.T) {
	frames := packets(t, "odd")
	require.Len(t, frames, 166)
	require.Len(t, oddFrames, len(frames))
	for i, odd := range oddFrames {
		t.Run(fmt.Sprintf("%d %s", i+1, odd.id), func(t *testing.T) {
			s := New(Config{})
			r := s.Frame(1, frames[i].Data, frames[i].Time)
			require.Equal(t, odd.verdict, r.Verdict, r.Verdict.String())
			require.Equal(t, odd.forward, r.Forward, r.Forward.String())
			require.Equal(t, odd.says, told(s, r))
			require.Equal(t, uint64(1), s.Counters().Frames[odd.verdict])
			require.Equal(t, uint64(1), s.counters.Frames.Total())
		})
	}
}

// From a port where nobody has to be believed, no frame at all makes a router port or a query, and none that tells of
// a router gets through to others.
func TestOddFramesFromAMemberPortMakeNoRouter(t *testing.T) {
	for i, p := range packets(t, "odd") {
		s := New(Config{})
		s.SetRole(1, Member)
		r := s.Frame(1, p.Data, p.Time)
		id := oddFrames[i].id
		require.Nil(t, r.Query, id)
		require.Empty(t, routerPorts(s, r.VLAN), id)
		switch oddFrames[i].verdict {
		case AcceptedQuery:
			require.Equal(t, IgnoredMemberQuery, r.Verdict, id)
			require.Equal(t, ForwardNone, r.Forward, id)
		case AcceptedRouter:
			require.Equal(t, IgnoredMemberRouter, r.Verdict, id)
			require.Equal(t, ForwardNone, r.Forward, id)
		default:
			if r.Verdict == IgnoredMemberQuery { // the port's role is asked first
				require.Contains(t, []string{"q3-general-to-unicast", "q2-general-to-group", "q-unicast-group", "q1-nonzero-group"}, id)
				require.Equal(t, ForwardNone, r.Forward, id)
				continue
			}
			require.Equal(t, oddFrames[i].verdict, r.Verdict, id)
			require.Equal(t, oddFrames[i].forward, r.Forward, id)
		}
	}
}
