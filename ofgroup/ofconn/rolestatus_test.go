package ofconn_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// Role statuses as Open vSwitch 3.1.0 sent them, which ovs-ofctl printed as
// role=secondary generation_id=6 reason=primary_request.
const (
	roleStatus15 = "061e00180000000000000003000000000000000000000006"
	roleStatus13 = "04040020000000004f4e46000000077700000003000000000000000000000006"
)

func TestARoleStatusIsReadInBothVersions(t *testing.T) {
	for _, text := range []string{roleStatus15, roleStatus13} {
		r, err := ofconn.ParseRoleStatus(unhex(text))
		require.NoError(t, err)
		require.Equal(t, ofconn.RoleStatus{Role: ofconn.RoleSlave, Reason: ofconn.RoleTaken, Generation: 6}, r)
	}
	_, err := ofconn.ParseRoleStatus(unhex("0619001800000000000000020000000000000000000000ff"))
	require.ErrorIs(t, err, ofgroup.ErrMalformed, "a role reply")
	require.Equal(t, "taken reconfigured experimenter RoleReason(0x7)",
		ofconn.RoleTaken.String()+" "+ofconn.RoleReconfigured.String()+" "+ofconn.RoleExperimenter.String()+" "+ofconn.RoleReason(7).String())
}

// The Conn that came last is master; the other one is told, stays, and may take the
// bridge back.
func TestWhoLosesTheRoleOfMasterIsToldAndStays(t *testing.T) {
	for v := range prefixes {
		t.Run(v.String(), func(t *testing.T) {
			lab := ovslab.New(t, ovslab.Config{})
			lost := make(chan ofconn.RoleStatus, 10)
			cfg := ofconn.Config{Dial: lab.Dial, Versions: []ofgroup.Version{v}}
			old := ofconn.New(ofconn.Config{
				Dial: lab.Dial, Versions: cfg.Versions,
				Events: ofconn.Events{RoleStatus: func(r ofconn.RoleStatus, _ time.Time) { lost <- r }},
			})
			running(t, old)
			require.NoError(t, commitTo(t, old, 1))
			first := live(t, old)
			next := ofconn.New(cfg)
			running(t, next)

			require.Equal(t, ofconn.RoleStatus{Role: ofconn.RoleSlave, Reason: ofconn.RoleTaken, Generation: 1}, <-lost)
			err := commitTo(t, old, 2)
			require.True(t, ofconn.IsSlave(err), err)
			require.False(t, ofconn.IsSlave(commitTo(t, next, 2)))
			require.Same(t, first, live(t, old), "it is still connected")

			old.Reconnect()
			<-first.Done()
			require.ErrorIs(t, first.Err(), ofconn.ErrReconnect)
			requireAnother(t, old, first)
			require.NoError(t, commitTo(t, old, 2))
			require.True(t, ofconn.IsSlave(commitTo(t, next, 3)))
			require.Empty(t, lost)
		})
	}
}

// A handler may have the connection made again; so may anybody while there is none.
func TestAHandlerMayConnectAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newFront(t)
		var conn *ofconn.Conn
		conn = ofconn.New(ofconn.Config{
			Dial:   sw.Dial,
			Events: ofconn.Events{RoleStatus: func(ofconn.RoleStatus, time.Time) { conn.Reconnect() }},
		})
		conn.Reconnect()
		running(t, conn)
		for n := range 3 {
			old := live(t, conn)
			sw.Send(unhex(roleStatus15))
			again(t, conn, old)
			require.Equal(t, n+2, sw.dials())
		}
	})
}
