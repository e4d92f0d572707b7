package ofconn_test

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// everything is a configuration that asks for all that there is.
func everything() ofconn.Events {
	return ofconn.Events{
		PacketIn:     func(*ofconn.PacketIn, time.Time) {},
		PortStatus:   func(ofconn.PortStatus, time.Time) {},
		FlowRemoved:  func(ofconn.FlowRemoved, time.Time) {},
		ControllerID: 3, Format: ofconn.FormatPacketIn2,
	}
}

func TestEveryConnectionIsSetUpInFullAndInOneOrder(t *testing.T) {
	const groups = 10
	withConn(t, ofconn.Config{
		Events: everything(),
		OnConnect: func(ctx context.Context, s *ofconn.Session) error {
			for id := range ofgroup.ID(groups) {
				if _, err := ports(id, 1).Commit(ctx, s); err != nil {
					return err
				}
			}
			return nil
		},
	}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		old := live(t, conn)
		sw.Disconnect()
		again(t, conn, old)
		first, second := withoutBarriers(sw.heard(1)), withoutBarriers(sw.heard(2))
		var order []uint8
		for _, m := range first {
			order = append(order, m[1])
		}
		require.Equal(t, []uint8{
			0, typeRoleRequest, typeRoleRequest,
			typeExperimenter, typeExperimenter, typeSetAsync, typeSetConfig,
		}, order[:7])
		require.Len(t, order, 7+groups)
		const master = 2
		require.EqualValues(t, 0, generation(first[master]))
		require.EqualValues(t, 1, generation(second[master]))
		copy(second[master][16:], first[master][16:])
		require.Equal(t, text(first), text(second))
		require.Equal(t, []string{
			"0604001800000000" + "0000232000000014" + "0000000000000003", // NXT_SET_CONTROLLER_ID
			"0604001400000000" + "0000232000000010" + "00000002",         // NXT_SET_PACKET_IN_FORMAT
		}, text(first[3:5]))
		require.Equal(t, "0609000c00000000"+"0000ffff", text(first[6:7])[0])
	})
}

func generation(roleRequest []byte) uint64 { return binary.BigEndian.Uint64(roleRequest[16:]) }

func TestOnlyWhatHasAHandlerIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		name   string
		events ofconn.Events
		want   string // the masks of a master and an equal
	}{
		{"nothing", ofconn.Events{}, ""},
		{"packet-ins", ofconn.Events{PacketIn: func(*ofconn.PacketIn, time.Time) {}}, "0000003f 00000000 00000000"},
		{"ports", ofconn.Events{PortStatus: func(ofconn.PortStatus, time.Time) {}}, "00000000 00000007 00000000"},
		{"flows", ofconn.Events{FlowRemoved: func(ofconn.FlowRemoved, time.Time) {}}, "00000000 00000000 0000003f"},
		{
			"some reasons",
			ofconn.Events{PacketIn: func(*ofconn.PacketIn, time.Time) {}, Async: &ofconn.AsyncConfig{PacketIn: 2}},
			"00000002 00000000 00000000",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			withConn(t, ofconn.Config{Events: c.events}, func(t *testing.T, sw *front, _ *ofconn.Conn) {
				asked := sw.heard(1, ofgrouptest.MsgSetAsync)
				require.Len(t, sw.heard(1, ofgrouptest.MsgSetConfig), len(asked))
				if c.want == "" {
					require.Empty(t, asked)
					return
				}
				require.Len(t, asked, 1)
				m := asked[0]
				require.Equal(t, c.want, hex.EncodeToString(m[20:24])+" "+hex.EncodeToString(m[36:40])+" "+hex.EncodeToString(m[52:56]))
			})
		})
	}
}

func TestASettingThatIsRefusedIsAFailedAttempt(t *testing.T) {
	for _, refused := range []ofgrouptest.MessageType{
		ofgrouptest.MsgRoleRequest, ofgrouptest.MsgExperimenter, ofgrouptest.MsgSetAsync, ofgrouptest.MsgSetConfig,
	} {
		synctest.Test(t, func(t *testing.T) {
			sw := newFront(t)
			sw.refuseAll(refused, 1, 1)
			conn := ofconn.New(ofconn.Config{
				Dial: sw.Dial, Events: everything(),
				OnConnect: func(context.Context, *ofconn.Session) error {
					assert.Fail(t, "OnConnect on a connection that is not set up")
					return nil
				},
			})
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			go conn.Run(ctx)
			err := conn.WaitConnected(ctx)
			var why *ofgroup.SwitchError
			require.ErrorAs(t, err, &why)
			require.ErrorContains(t, err, "OFPBRC_BAD_TYPE")
			require.Greater(t, sw.dials(), 5, "it is tried again")
			synctest.Wait()
			require.Zero(t, sw.Conns(), "and nothing is left of the failed ones")
		})
	}
}

func TestWhatAFailedAttemptHeardIsDiscarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newFront(t)
		events := everything()
		events.PortStatus = func(ofconn.PortStatus, time.Time) { assert.Fail(t, "news of a connection that never was") }
		held := make(chan struct{})
		sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgSetConfig, Hold: held, Refuse: &ofgrouptest.Refusal{Type: 1, Code: 1}})
		conn := ofconn.New(ofconn.Config{Dial: sw.Dial, Events: events})
		time.AfterFunc(time.Second, func() {
			sw.Send(portGone(1))
			time.Sleep(time.Second)
			close(held)
		})
		running(t, conn)
		synctest.Wait()
		require.Equal(t, 2, sw.dials())
		require.EqualValues(t, 1, conn.EventStats().Discarded)
	})
}

func TestASessionOfItsOwnIsSetUpTooButNotFenced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newFront(t)
		s, err := ofconn.Open(t.Context(), ofconn.Config{Dial: sw.Dial, Events: everything()})
		require.NoError(t, err)
		defer s.Close()
		require.Empty(t, sw.heard(1, ofgrouptest.MsgRoleRequest))
		require.Len(t, sw.heard(1, ofgrouptest.MsgSetAsync), 1)

		sw.refuseAll(ofgrouptest.MsgSetAsync, 1, 1)
		_, err = ofconn.Open(t.Context(), ofconn.Config{Dial: sw.Dial, Events: everything()})
		require.ErrorContains(t, err, "OFPBRC_BAD_TYPE")
		require.ErrorIs(t, err, ofgroup.ErrDisconnected)
		synctest.Wait()
		require.Equal(t, 1, sw.Conns())
	})
}

func TestTheGenerationGoesOnFromTheSwitchsAndWraps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for held, want := range map[uint64]uint64{
			^uint64(0) - 1: ^uint64(0), 0: 1, 1<<63 - 1: 1 << 63, 41: 42,
		} {
			sw := newFront(t)
			sw.holds(t, held)
			running(t, ofconn.New(ofconn.Config{Dial: sw.Dial}))
			asked := sw.heard(2, ofgrouptest.MsgRoleRequest)
			require.Len(t, asked, 2)
			require.EqualValues(t, 2, binary.BigEndian.Uint32(asked[1][8:]), "master")
			require.Equal(t, want, generation(asked[1]))
		}
	})
}

// A switch that has not seen the predecessor's request yet, or has forgotten it
// by starting again, must not make the predecessor the newer one.
func TestTheGenerationNeverFallsBackBehindThePredecessors(t *testing.T) {
	withConn(t, ofconn.Config{}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		conns := 1
		for n, held := range []uint64{^uint64(0), 0, 77, 5} {
			old := live(t, conn)
			sw.Restart()
			if held != ^uint64(0) { // that is none
				sw.holds(t, held)
				conns++
			}
			again(t, conn, old)
			conns++
			want := []uint64{1, 2, 78, 79}[n]
			require.Equal(t, want, generation(sw.heard(conns, ofgrouptest.MsgRoleRequest)[1]))
		}
	})
}

func TestAStaleGenerationIsAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newFront(t)
		sw.stubborn(4)
		conn := ofconn.New(ofconn.Config{Dial: sw.Dial})
		running(t, conn)
		require.Equal(t, 1, sw.dials())
		require.Len(t, sw.heard(1, ofgrouptest.MsgRoleRequest), 10)

		sw.stubborn(7) // more than a connection tries
		old := live(t, conn)
		sw.Disconnect()
		again(t, conn, old)
		require.Equal(t, 3, sw.dials())
	})
}

func TestWithoutFencingNoRoleIsTaken(t *testing.T) {
	withConn(t, ofconn.Config{NoFence: true}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		require.NoError(t, commitTo(t, conn, 1))
		require.Empty(t, sw.heard(1, ofgrouptest.MsgRoleRequest))
	})
}

func withoutBarriers(messages [][]byte) [][]byte {
	return slices.DeleteFunc(messages, func(m []byte) bool { return m[1] == typeBarrier })
}
