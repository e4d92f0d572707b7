package ofconn_test

import (
	"context"
	"fmt"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

type dialer func(context.Context) (net.Conn, error)

// open connects to a switch for the length of the test.
func open(tb testing.TB, dial dialer, versions ...ofgroup.Version) *ofconn.Session {
	tb.Helper()
	s, err := ofconn.Open(tb.Context(), ofconn.Config{Dial: dial, Versions: versions})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, s.Close()) })
	return s
}

// relayTo puts a counting relay in front of the lab's bridge.
func relayTo(tb testing.TB, lab *ovslab.Lab) *ovslab.Relay {
	tb.Helper()
	relay, err := lab.Relay()
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, relay.Close()) })
	return relay
}

// ports is an ALL group with one output bucket for each port.
func ports(id ofgroup.ID, ports ...int) ofgroup.Group {
	g := ofgroup.New(id, ofgroup.All)
	for _, p := range ports {
		g = g.AddBuckets(ofgroup.NewBucket(ofgroup.Output(ofgroup.Port(p))))
	}
	return g
}

func TestACommittedGroupIsWhatTheSwitchDescribes(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	for _, v := range []ofgroup.Version{ofgroup.OpenFlow15, ofgroup.OpenFlow13} {
		t.Run(fmt.Sprint(v), func(t *testing.T) {
			s := open(t, lab.Dial, v)
			require.Equal(t, v, s.Version())
			_, ok, err := s.GroupDesc(t.Context(), 7)
			require.NoError(t, err)
			require.False(t, ok, "nothing is there yet")

			g := ports(7, 1, 2, 3)
			receipt, err := g.Commit(t.Context(), s)
			require.NoError(t, err)
			require.True(t, receipt.Confirmed)

			held, ok, err := s.GroupDesc(t.Context(), 7)
			require.NoError(t, err)
			require.True(t, ok)
			require.True(t, g.Equal(held), "%v", held)
			_, err = lab.Ofctl(t.Context(), "del-groups", lab.Bridge())
			require.NoError(t, err)
		})
	}
}
