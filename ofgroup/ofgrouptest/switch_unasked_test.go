package ofgrouptest

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// ask sets how much of a packet the connection gets, without which it gets nothing that it
// did not ask for.
func (c *client) ask() {
	c.tb.Helper()
	require.Empty(c.tb, c.do(message(openflow.Version15, openflow.TypeSetConfig, 0, []byte{0, 0, 0xff, 0xff})))
}

// unasked is what came since, up to the answer to a barrier.
func (c *client) unasked() [][]byte {
	c.tb.Helper()
	return c.replies(nil)
}

func TestPortStatusIsWhatOpenVSwitchSends(t *testing.T) {
	sw := newSwitch(t)
	c, other := dial(t, sw), dial(t, sw)
	c.ask()
	p := SwitchPort{Number: 9, Name: "p9", MAC: [6]byte{0xaa, 0x55, 0xaa, 0x55, 0, 4}}
	sw.SetPort(p)
	p.Config, p.State = 1, 1
	sw.SetPort(p)
	sw.RemovePort(9)
	sw.RemovePort(9)
	require.Equal(t, [][]byte{
		unhex(t, "060c00580000000000000000000000000000000900480000"+
			"aa55aa5500040000703900000000000000000000000000000000000000000000"+
			"0000002000000000000000000000000000000000000000000000000000000000"),
		unhex(t, "060c00580000000002000000000000000000000900480000"+
			"aa55aa5500040000703900000000000000000000000000000000000100000001"+
			"0000002000000000000000000000000000000000000000000000000000000000"),
		unhex(t, "060c00580000000001000000000000000000000900480000"+
			"aa55aa5500040000703900000000000000000000000000000000000100000001"+
			"0000002000000000000000000000000000000000000000000000000000000000"),
	}, c.unasked())
	require.Empty(t, other.unasked(), "it did not ask")
}

func TestASlaveAndAMaskDecideWhoHearsOfPorts(t *testing.T) {
	sw := newSwitch(t)
	c := dial(t, sw)
	c.ask()
	hears := func() int {
		sw.SetPort(SwitchPort{Number: 1})
		return len(c.unasked())
	}
	require.Equal(t, 1, hears())
	require.Empty(t, c.do(message(openflow.Version15, openflow.TypeSetAsync, 0, unhex(t, "0003000800000003"))))
	require.Zero(t, hears(), "changes are masked for all but slaves")
	require.Len(t, c.do(message(openflow.Version15, openflow.TypeRoleRequest, 0, unhex(t, roleBody(roleSlave, 1)))), 1)
	require.Equal(t, 1, hears())
	require.Equal(t, []string{"slave"}, sw.Roles())
}

func TestRestartForgetsAllThatAControllerDid(t *testing.T) {
	sw := newSwitch(t)
	c := dial(t, sw)
	require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, 7, 1)))
	become := func(c *client, generation uint64) []byte {
		return c.do(message(openflow.Version15, openflow.TypeRoleRequest, 0, unhex(t, roleBody(roleMaster, generation))))[0]
	}
	require.EqualValues(t, openflow.TypeRoleReply, become(c, 100)[1])
	sw.SetPort(SwitchPort{Number: 9, Name: "p9"})
	sw.Restart()
	c.requireEnd()

	c = dial(t, sw)
	require.Empty(t, c.describe(7))
	require.EqualValues(t, openflow.TypeRoleReply, become(c, 1)[1], "generations begin anew")
	require.Len(t, sortedPorts(c), 5, "ports stay: they are in the switch's database")
	require.Equal(t, 1, sw.GroupMods(), "and so does the test's own view")
}

func TestWhatADeadConnectionHadSentIsObeyedButNotAfterARestart(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(*Switch)
		held bool
	}{
		"disconnect": {(*Switch).Disconnect, true},
		"restart":    {(*Switch).Restart, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sw := newSwitch(t)
				c := dial(t, sw)
				letGo := make(chan struct{})
				sw.Inject(Fault{Hold: letGo})
				c.send(append(groupModMessage(cmdAdd, typeAll, 7, 1), groupModMessage(cmdAdd, typeAll, 8, 1)...))
				synctest.Wait()
				test.end(sw)
				c.requireEnd()
				require.Empty(t, dial(t, sw).describe(7))
				close(letGo)
				synctest.Wait()
				for _, id := range []ofgroup.ID{7, 8} {
					_, held, err := sw.Group(id)
					require.NoError(t, err)
					require.Equal(t, test.held, held)
				}
			})
		})
	}
}

// As a real switch does: see the fencing of package ofconn.
func TestANewMasterHasWhatADeadOneHadSentRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newSwitch(t)
		master := func(generation uint64) *client {
			c := dial(t, sw)
			c.do(message(openflow.Version15, openflow.TypeRoleRequest, 0, unhex(t, roleBody(roleMaster, generation))))
			return c
		}
		old := master(1)
		letGo := make(chan struct{})
		sw.Inject(Fault{Hold: letGo})
		old.send(append(groupModMessage(cmdAdd, typeAll, 7, 1), groupModMessage(cmdAdd, typeAll, 8, 1)...))
		synctest.Wait()
		sw.Disconnect()
		old.requireEnd()
		synctest.Wait()
		master(2)
		require.Equal(t, []string{"master"}, sw.Roles(), "a dead connection is not shown")

		close(letGo)
		synctest.Wait()
		held, err := sw.Groups()
		require.NoError(t, err)
		require.Empty(t, held)
		log := sw.GroupModLog()
		require.Len(t, log, 2)
		for _, l := range log {
			require.Equal(t, isSlave.refusal(), l.Refused)
		}
	})
}

func TestARestartAlsoForgetsWhatADeadConnectionHadSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newSwitch(t)
		c := dial(t, sw)
		letGo := make(chan struct{})
		sw.Inject(Fault{Hold: letGo})
		c.send(groupModMessage(cmdAdd, typeAll, 7, 1))
		synctest.Wait()
		sw.Disconnect()
		synctest.Wait()
		sw.Restart()
		close(letGo)
		synctest.Wait()
		held, err := sw.Groups()
		require.NoError(t, err)
		require.Empty(t, held)
	})
}

func TestASwitchThatHoldsAMessageCanBeClosed(t *testing.T) {
	sw := newSwitch(t)
	c := dial(t, sw)
	sw.Inject(Fault{Hold: make(chan struct{})})
	c.send(groupModMessage(cmdAdd, typeAll, 7, 1))
	require.NoError(t, sw.Close())
}

func TestTheLogHasEveryMessageInItsOrder(t *testing.T) {
	sw := newSwitch(t)
	first, second := dial(t, sw), dial(t, sw)
	second.send(message(openflow.Version15, openflow.TypeEchoRequest, 1, nil))
	second.receive()
	second.ask()
	require.NotNil(t, first.verdict(groupModMessage(cmdModify, typeAll, 7, 1)))
	type entry struct {
		kind    MessageType
		conn    int
		refused bool
	}
	var got []entry
	for _, l := range sw.Log() {
		got = append(got, entry{l.Type, l.Conn, l.Refused != nil})
	}
	require.ElementsMatch(t, []entry{{MsgHello, 1, false}, {MsgHello, 2, false}}, got[:2])
	require.Equal(t, []entry{
		{MsgSetConfig, 2, false}, {MsgBarrierRequest, 2, false},
		{MsgGroupMod, 1, true}, {MsgBarrierRequest, 1, false},
	}, got[2:])
	require.Len(t, sw.Log(MsgEchoRequest, MsgGroupMod), 2)
}
