package ofsink_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

func TestWhatSomebodyHasDeletedIsMissedAndSentAgain(t *testing.T) {
	for name, version := range map[string]ofgroup.Version{"1.3": ofgroup.OpenFlow13, "1.5": ofgroup.OpenFlow15} {
		t.Run(name, func(t *testing.T) {
			lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1", "p2", "gw"}})
			p := startProcess(t, lab, version)
			states := []mcast.State[ofgroup.Port]{
				filteredState(t, groupNumber(0), s1), stateOf(t, groupNumber(1), 1), stateOf(t, groupNumber(2), 1), stateOf(t, groupNumber(3), 1),
			}
			sync := func() (failed int) {
				for _, s := range states {
					if p.sink.Sync(t.Context(), s) != nil {
						failed++
					}
				}
				return failed
			}
			require.Zero(t, sync())
			flows, groups := dumpFlows(t, lab), dumpGroups(t, lab)
			require.Len(t, flows, p.sink.Confirmed())
			missing := func() int {
				n, err := p.sink.Missing(t.Context(), p)
				require.NoError(t, err)
				return n
			}
			require.Zero(t, missing())

			for _, gone := range []string{"table=101,ip,nw_dst=239.1.2.1", "table=101,ip,nw_src=198.51.100.1"} {
				_, err := lab.Ofctl(t.Context(), "del-flows", lab.Mgmt(), gone)
				require.NoError(t, err)
			}
			id, ok := p.sink.ID(groupNumber(2), netip.Addr{})
			require.True(t, ok)
			_, err := lab.Ofctl(t.Context(), "del-groups", lab.Mgmt(), "group_id="+id.String())
			require.NoError(t, err)
			before := p.sent()
			require.Equal(t, 3, missing())
			require.Len(t, flows, p.sink.Confirmed()+3)
			require.Equal(t, before, p.sent(), "to look changes nothing")

			require.Zero(t, sync())
			require.Equal(t, flows, dumpFlows(t, lab))
			require.Equal(t, groups, dumpGroups(t, lab))
			require.Equal(t, [2]int64{3, 3}, [2]int64{p.sent()[0] - before[0], p.sent()[1] - before[1]}, "what is there is not sent again")
			require.Zero(t, missing())
		})
	}
}

func TestAGroupThatIsDeletedBeforeItsFlowComesIsSentAgain(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{Ports: []string{"p1", "p2", "gw"}})
	p := startProcess(t, lab, ofgroup.OpenFlow15)
	g := groupNumber(0)
	p.meddle = func() {
		_, err := lab.Ofctl(t.Context(), "del-groups", lab.Mgmt())
		require.NoError(t, err)
	}
	var refused *ofgroup.SwitchError
	require.ErrorAs(t, p.sink.Sync(t.Context(), stateOf(t, g, 1)), &refused)
	p.meddle = nil
	require.NoError(t, p.sink.Sync(t.Context(), stateOf(t, g, 1)))
	require.Len(t, dumpFlows(t, lab), 1)
	require.Len(t, dumpGroups(t, lab), 1)
}
