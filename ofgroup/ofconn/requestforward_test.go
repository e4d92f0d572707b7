package ofconn_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// What Open vSwitch 3.1.0 told of a group that another controller had added.
const (
	forward15 = "0620003800000000" + "060f003000000002000000000000000300180000ffffffff00180010000000000000001000000001" + "0000000000000000"
	forward13 = "04040040000000004f4e46000000092e" + "040f003000000002000000000000000300200000ffffffffffffffff" +
		"0000000000000010000000010000000000000000"
)

func TestAForwardedRequestThatCannotBeReadIsDroppedAlone(t *testing.T) {
	for v, text := range map[ofgroup.Version]string{ofgroup.OpenFlow15: forward15, ofgroup.OpenFlow13: forward13} {
		var told []ofgroup.RequestForward
		p, dial := newPeer(t)
		p.play(func() {
			p.send(map[ofgroup.Version]string{ofgroup.OpenFlow15: switchHello15, ofgroup.OpenFlow13: switchHello10And13}[v])
			for m := p.recv(); m != nil; m = p.recv() {
				if m[1] == typeBarrier {
					p.write([]byte{m[0], typeBarrier + 1, 0, 8, m[4], m[5], m[6], m[7]})
				}
			}
		})
		events := ofconn.Events{RequestForward: func(f ofgroup.RequestForward, _ time.Time) { told = append(told, f) }}
		s, err := ofconn.Open(t.Context(), ofconn.Config{Dial: dial, Versions: []ofgroup.Version{v}, Events: events})
		require.NoError(t, err)
		whole := unhex(text)
		head := 8
		if v == ofgroup.OpenFlow13 {
			head = 16
		}
		bad := 0
		for n := head; n < len(whole); n++ { // the declared length true, and the inner one not
			cut := append([]byte(nil), whole[:n]...)
			cut[2], cut[3] = 0, byte(n)
			p.write(cut)
			bad++
		}
		p.write(whole)
		require.NoError(t, s.Barrier(t.Context()))
		eventually(t, "the one that can be read is told", func() bool { return s.EventStats().Delivered == 1 })
		require.NoError(t, s.Close())
		require.EqualValues(t, bad, s.EventStats().Malformed)
		require.Len(t, told, 1)
		require.Equal(t, ofgroup.ID(3), told[0].Mod.Group().ID())
	}
}
