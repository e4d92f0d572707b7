package ofconn_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// packetIn makes an OFPT_PACKET_IN of OpenFlow 1.5 (7.4.1) that came in by a
// port, and of which the switch sends what frame has.
func packetIn(port ofgroup.Port, totalLen int, frame []byte) []byte {
	b := []byte{0xff, 0xff, 0xff, 0xff}
	b = binary.BigEndian.AppendUint16(b, uint16(totalLen))
	b = append(b, 1, 0) // OFPR_ACTION, table
	b = binary.BigEndian.AppendUint64(b, 5)
	b = append(b, 0, 1, 0, 12, 0x80, 0, 0, 4)
	b = binary.BigEndian.AppendUint32(b, uint32(port))
	b = append(b, make([]byte, 4+2)...)
	return reply(typePacketIn, nil, append(b, frame...)...)
}

// numbered is a packet-in whose frame says which one it is.
func numbered(port ofgroup.Port, n int) []byte {
	return packetIn(port, 4, binary.BigEndian.AppendUint32(nil, uint32(n)))
}

// portGone is an OFPT_PORT_STATUS of OpenFlow 1.5 that deletes a port.
func portGone(port ofgroup.Port) []byte {
	body := append([]byte{1, 0, 0, 0, 0, 0, 0, 0}, make([]byte, 40)...)
	binary.BigEndian.PutUint32(body[8:], uint32(port))
	body[13] = 40
	return reply(typePortStatus, nil, body...)
}

func TestASlowHandlerDelaysNobody(t *testing.T) {
	const packets = 2000
	slow := func(*ofconn.PacketIn, time.Time) { time.Sleep(30 * time.Second) }
	withConn(t, ofconn.Config{Events: ofconn.Events{PacketIn: slow}}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		for n := range packets {
			sw.Send(numbered(ofgroup.Port(n%2), n))
		}
		start := time.Now()
		require.NoError(t, commitTo(t, conn, 1))
		_, err := conn.Ports(t.Context())
		require.NoError(t, err)
		require.Zero(t, time.Since(start))
		time.Sleep(20 * time.Second)
		require.NoError(t, live(t, conn).Err(), "echoes are answered meanwhile")
		stats := conn.EventStats()
		require.NotZero(t, stats.Dropped)
		require.Equal(t, stats.Dropped, stats.DroppedByPort[0]+stats.DroppedByPort[1])
		require.EqualValues(t, packets, int(stats.Dropped)+stats.Waiting+1)
	})
}

func TestAHandlerThatPanicsIsCountedAndTheNextOneCalled(t *testing.T) {
	const packets = 1000
	n := 0
	handler := func(*ofconn.PacketIn, time.Time) {
		if n++; n%2 == 0 {
			panic("crafted packet")
		}
	}
	withConn(t, ofconn.Config{Events: ofconn.Events{PacketIn: handler, Queue: 2 * packets}}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		for n := range packets {
			sw.Send(numbered(1, n))
		}
		synctest.Wait()
		stats := conn.EventStats()
		require.EqualValues(t, packets/2, stats.Delivered)
		require.EqualValues(t, packets/2, stats.Panics)
		require.Zero(t, stats.Dropped)
		require.NoError(t, commitTo(t, conn, 1))
	})
}

func TestADeliveredFrameIsTheReceivers(t *testing.T) {
	var kept []*ofconn.PacketIn
	keep := func(p *ofconn.PacketIn, _ time.Time) { kept = append(kept, p) }
	withConn(t, ofconn.Config{Events: ofconn.Events{PacketIn: keep}}, func(t *testing.T, sw *front, _ *ofconn.Conn) {
		a, b := bytes.Repeat([]byte{0xaa}, 60), bytes.Repeat([]byte{0xbb}, 60)
		sw.Send(packetIn(1, 60, a))
		for range 100 {
			sw.Send(packetIn(1, 60, b))
		}
		synctest.Wait()
		require.Len(t, kept, 101)
		require.Equal(t, a, kept[0].Frame)
		require.Equal(t, b, kept[100].Frame)
		kept[1].Frame[0] = 0
		require.Equal(t, b, kept[100].Frame)
	})
}

func TestACutPacketIsMarkedAndCounted(t *testing.T) {
	var cut []bool
	handler := func(p *ofconn.PacketIn, _ time.Time) { cut = append(cut, p.Truncated()) }
	withConn(t, ofconn.Config{Events: ofconn.Events{PacketIn: handler}}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		sw.Send(packetIn(1, 262, make([]byte, 128)))
		sw.Send(packetIn(1, 128, make([]byte, 128)))
		synctest.Wait()
		require.Equal(t, []bool{true, false}, cut)
		require.EqualValues(t, 1, conn.EventStats().Truncated)
	})
}

func TestAPacketInThatCannotBeReadIsDroppedAlone(t *testing.T) {
	delivered := 0
	events := everything()
	events.PacketIn = func(*ofconn.PacketIn, time.Time) { delivered++ }
	withConn(t, ofconn.Config{Events: events}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		whole := numbered(1, 1)
		for n := 8; n < 36; n++ { // the match and its padding end at 42
			short := bytes.Clone(whole[:n])
			binary.BigEndian.PutUint16(short[2:], uint16(n))
			sw.Send(short)
		}
		sw.Send(unhex("060c000800000000" + "060b000800000000")) // ports, flows
		sw.Send(whole)
		synctest.Wait()
		require.Equal(t, 1, delivered)
		require.EqualValues(t, 36-8+2, conn.EventStats().Malformed)
		require.NoError(t, commitTo(t, conn, 1))
	})
}

func TestANoisyPortDoesNotStarveAnother(t *testing.T) {
	const rate, seconds = 10_000, 5
	var joined time.Time
	handler := func(p *ofconn.PacketIn, _ time.Time) {
		time.Sleep(time.Millisecond) // a tenth of what comes in
		if p.InPort == 2 {
			joined = time.Now()
		}
	}
	withConn(t, ofconn.Config{Events: ofconn.Events{PacketIn: handler}}, func(t *testing.T, sw *front, conn *ofconn.Conn) {
		var sent time.Time
		for n := range rate * seconds {
			if n == rate*seconds/2 {
				sent = time.Now()
				sw.Send(numbered(2, 0))
			}
			sw.Send(numbered(1, n))
			time.Sleep(time.Second / rate)
		}
		synctest.Wait()
		require.NotZero(t, joined)
		require.Less(t, joined.Sub(sent), 10*time.Millisecond)
		require.NotZero(t, conn.EventStats().DroppedByPort[1])
		require.Zero(t, conn.EventStats().DroppedByPort[2])
	})
}

func TestNewsOfPortsKeepsItsPlaceAmongPackets(t *testing.T) {
	var got []string
	var at []time.Time
	note := func(what string, when time.Time) { got, at = append(got, what), append(at, when) }
	withConn(t, ofconn.Config{Events: ofconn.Events{
		PacketIn:   func(p *ofconn.PacketIn, when time.Time) { note(fmt.Sprint("packet ", p.InPort), when) },
		PortStatus: func(p ofconn.PortStatus, when time.Time) { note(fmt.Sprint(p.Reason, " ", p.Port.Number), when) },
	}}, func(t *testing.T, sw *front, _ *ofconn.Conn) {
		start := time.Now()
		for _, m := range [][]byte{numbered(7, 0), numbered(8, 0), portGone(7), numbered(8, 1), portGone(8)} {
			sw.Send(m)
			time.Sleep(time.Second)
		}
		synctest.Wait()
		require.Equal(t, []string{"packet 7", "packet 8", "DEL 7", "packet 8", "DEL 8"}, got)
		for i, when := range at {
			require.Equal(t, time.Duration(i)*time.Second, when.Sub(start), "when it was read")
		}
	})
}

// News of a connection comes only after OnConnect has asked what there is, and
// none that is left over comes after the connection.
func TestEventsKeepToTheirConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newFront(t)
		var got []string
		busy := make(chan struct{})
		conn := ofconn.New(ofconn.Config{
			Dial: sw.Dial,
			Events: ofconn.Events{PortStatus: func(p ofconn.PortStatus, _ time.Time) {
				got = append(got, fmt.Sprint(p.Port.Number))
				if p.Port.Number == 2 {
					<-busy
				}
			}},
			OnConnect: func(context.Context, *ofconn.Session) error {
				sw.Send(portGone(ofgroup.Port(sw.dials())))
				time.Sleep(time.Second)
				got = append(got, "connected")
				return nil
			},
			OnDisconnect: func(error) { got = append(got, "disconnected") },
		})
		running(t, conn)
		synctest.Wait()
		require.Equal(t, []string{"connected", "1"}, got)
		sw.Send(portGone(2))
		sw.Send(portGone(99)) // left over
		synctest.Wait()
		old := live(t, conn)
		sw.Disconnect()
		again(t, conn, old)
		close(busy)
		synctest.Wait()
		require.Equal(t, []string{"connected", "1", "2", "disconnected", "connected", "2"}, got)
		require.EqualValues(t, 1, conn.EventStats().Discarded)
	})
}

func TestNewsThatCannotBeKeptEndsTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newFront(t)
		busy := make(chan struct{})
		conn := ofconn.New(ofconn.Config{
			Dial:   sw.Dial,
			Events: ofconn.Events{PortStatus: func(ofconn.PortStatus, time.Time) { <-busy }},
		})
		running(t, conn)
		old := live(t, conn)
		for range 1<<14 + 2 {
			sw.Send(portGone(1))
		}
		again(t, conn, old)
		require.ErrorIs(t, old.Err(), ofconn.ErrOverrun)
		close(busy)
	})
}

func TestASessionOfItsOwnDeliversEventsUntilItIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newFront(t)
		delivered := 0
		s, err := ofconn.Open(t.Context(), ofconn.Config{Dial: sw.Dial, Events: ofconn.Events{
			PacketIn: func(*ofconn.PacketIn, time.Time) { time.Sleep(time.Second); delivered++ },
		}})
		require.NoError(t, err)
		for n := range 3 {
			sw.Send(numbered(1, n))
		}
		time.Sleep(1500 * time.Millisecond)
		require.NoError(t, s.Close())
		require.Equal(t, 2, delivered, "the one under way is waited for")
		require.EqualValues(t, 2, s.EventStats().Delivered)
	})
}
