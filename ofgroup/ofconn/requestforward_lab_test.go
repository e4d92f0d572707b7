package ofconn_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// Somebody else's changes are told, our own are not, on every connection.
func TestChangesOfOthersAreTold(t *testing.T) {
	for v := range prefixes {
		t.Run(v.String(), func(t *testing.T) {
			lab := ovslab.New(t, ovslab.Config{})
			changes := make(chan ofgroup.RequestForward, 100)
			conn := ofconn.New(ofconn.Config{
				Dial: lab.Dial, Versions: []ofgroup.Version{v},
				Events: ofconn.Events{RequestForward: func(f ofgroup.RequestForward, _ time.Time) { changes <- f }},
			})
			running(t, conn)
			for range 2 {
				require.NoError(t, commitTo(t, conn, 1))
				_, err := lab.Ofctl(t.Context(), "add-group", lab.Bridge(), "group_id=7,type=all,bucket=output:1")
				require.NoError(t, err)
				f := <-changes
				require.NotNil(t, f.Mod)
				require.Equal(t, ofgroup.Add, f.Mod.Command())
				require.Equal(t, v, f.Mod.Version())
				require.True(t, ports(7, 1).Equal(f.Mod.Group()), "%v", f)

				_, err = lab.Ofctl(t.Context(), "del-groups", lab.Bridge(), "group_id=7")
				require.NoError(t, err)
				require.Equal(t, ofgroup.Delete, (<-changes).Mod.Command())

				_, err = lab.Ofctl(t.Context(), "add-meter", lab.Bridge(), "meter=4,pktps,bands=type=drop,rate=3")
				require.NoError(t, err)
				f = <-changes
				require.Nil(t, f.Mod)
				require.EqualValues(t, 29, f.Request[1], "a meter-mod, as it is")
				_, err = lab.Ofctl(t.Context(), "del-meters", lab.Bridge())
				require.NoError(t, err)
				require.Nil(t, (<-changes).Mod)

				old := live(t, conn)
				conn.Reconnect()
				<-old.Done()
				requireAnother(t, conn, old)
			}
			require.Empty(t, changes)
			require.Zero(t, conn.EventStats().Malformed)
		})
	}
}

// Asking in OpenFlow 1.3 for changes of others goes by a message that could change what
// else is told.
func TestPacketsStillComeWhereChangesOfOthersAreAskedFor(t *testing.T) {
	for v := range prefixes {
		t.Run(v.String(), func(t *testing.T) {
			lab := newLab(t)
			heard := newTold()
			events := heard.events()
			events.RequestForward = func(ofgroup.RequestForward, time.Time) {}
			conn := ofconn.New(ofconn.Config{Dial: lab.Dial, Versions: []ofgroup.Version{v}, Events: events})
			running(t, conn)
			requireConfirmed(t, conn, ofconn.FlowMod{Match: ip(), Actions: actions(caughtBy7), Flags: ofconn.FlowSendRemoved})
			heard.packetThrough(t, lab, 2)
			requireConfirmed(t, conn, ofconn.FlowMod{Command: ofconn.FlowDelete, Table: ofconn.AllTables})
			require.Equal(t, ofconn.FlowDeleted, (<-heard.flows).Reason)
			_, err := lab.Ofctl(t.Context(), "mod-port", lab.Bridge(), "2", "down")
			require.NoError(t, err)
			heard.awaitPort(ofconn.PortDown)
		})
	}
}
