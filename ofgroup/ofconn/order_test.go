package ofconn_test

import (
	"encoding/binary"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// Whether a call waits for its answer or not, what one goroutine sends arrives in the
// order of its calls, and bundles keep theirs too.
func TestMessagesOfOneGoroutineKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &bundlePeer{}
		var dial dialer
		p.peer, dial = newPeer(t)
		s := p.greeted(dial, ofconn.Config{})
		var arrived []uint16
		p.each = func(m []byte) {
			switch m[1] {
			case 13: // packet-out: the frame says which
				arrived = append(arrived, binary.BigEndian.Uint16(m[len(m)-2:]))
			case typeFlowMod:
				arrived = append(arrived, binary.BigEndian.Uint16(m[30:]))
			}
		}
		p.play(p.serve)
		const rounds = 50
		n := uint16(0)
		flow := func() ofconn.Message { n++; return ofconn.FlowMod{Priority: n} }
		for range rounds {
			for range 10 {
				n++
				_, err := s.PacketOut(t.Context(), ofconn.PacketOut{Actions: actions(ofgroup.Output(1)), Frame: binary.BigEndian.AppendUint16(nil, n)})
				require.NoError(t, err)
			}
			require.NoError(t, s.Bundle(t.Context(), flow(), flow(), flow()))
			_, err := s.SendMessage(t.Context(), flow())
			require.NoError(t, err)
		}
		synctest.Wait()
		require.Len(t, arrived, int(n))
		for i, got := range arrived {
			require.EqualValues(t, i+1, got)
		}
	})
}

// A switch refuses what is bundled under another number than the message around it.
func TestWhatIsBundledHasTheNumberOfTheMessageAroundIt(t *testing.T) {
	p := &bundlePeer{}
	outer := map[uint32]bool{}
	withBundles(t, p, func(t *testing.T, s *ofconn.Session) {
		require.NoError(t, s.Bundle(t.Context(), twoGroups(t)...))
		for _, a := range p.adds {
			xid := binary.BigEndian.Uint32(a.Message[4:])
			require.Equal(t, p.xids[len(outer)], xid)
			require.Equal(t, byte(6), a.Message[0])
			require.False(t, outer[xid])
			outer[xid] = true
		}
		require.Len(t, outer, 2)
	})
}
