package ofconn_test

import (
	"encoding/hex"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

func TestEchoRepliesCopyNumberAndPayload(t *testing.T) {
	for request, want := range map[string]string{
		"0602000c0000002adeadbeef":                        "0603000c0000002adeadbeef",
		"0602000800000000":                                "0603000800000000",
		"06020015000000022354754" + "83beed9bc3418c7a254": "0603001500000002235475483beed9bc3418c7a254",
	} {
		p, dial := newPeer(t)
		p.greeted(dial, ofconn.Config{})
		p.send(request)
		require.Equal(t, want, hex.EncodeToString(p.recv()))
	}
}

func TestALengthBelowTheHeadersEndsTheSession(t *testing.T) {
	for length := range 8 {
		p, dial := newPeer(t)
		s := p.greeted(dial, ofconn.Config{})
		p.send("0602000800000001")
		require.Equal(t, "0603000800000001", hex.EncodeToString(p.recv()))
		p.play(func() {
			p.send(fmt.Sprintf("060200%02x00000002", length))
			p.send("0602000800000003")
		})

		<-s.Done()

		require.ErrorIs(t, s.Err(), ofconn.ErrProtocol)
		require.ErrorIs(t, s.Err(), ofgroup.ErrDisconnected)
		require.Nil(t, p.recv(), "the second echo is not answered: the switch sees the connection end")
	}
}

func TestAHeaderInPiecesIsOneMessage(t *testing.T) {
	p, dial := newPeer(t)
	p.greeted(dial, ofconn.Config{})
	p.play(func() {
		for _, piece := range []string{"06", "0200", "0c0000002a", "dead", "beef"} {
			p.send(piece)
		}
	})
	require.Equal(t, "0603000c0000002adeadbeef", hex.EncodeToString(p.recv()))
}

func TestAStreamThatEndsInsideAMessageSaysSo(t *testing.T) {
	for _, part := range []string{"0602", "0602000c0000002ade"} {
		p, dial := newPeer(t)
		s := p.greeted(dial, ofconn.Config{})
		p.send(part)
		require.NoError(t, p.conn.Close())
		<-s.Done()
		require.ErrorIs(t, s.Err(), io.ErrUnexpectedEOF)
	}
}

func TestTheLargestMessageIsRead(t *testing.T) {
	p, dial := newPeer(t)
	p.greeted(dial, ofconn.Config{})
	p.play(func() { p.write(append([]byte{6, 2, 0xff, 0xff, 0, 0, 0, 9}, make([]byte, 0xffff-8)...)) })
	require.Len(t, p.recv(), 0xffff)
}

func TestMessagesOfNoUseAreCountedAndPassedOver(t *testing.T) {
	p, dial := newPeer(t)
	s := p.greeted(dial, ofconn.Config{})
	p.send("060a000800000000")                                 // packet-in without a body
	p.send("06ff000c00000000ffffffff")                         // a type that does not exist
	p.send("0415000800000002")                                 // a barrier reply of OpenFlow 1.3
	p.send(switchHello15)                                      // a second hello
	p.send("0615000800000099")                                 // a barrier reply nobody waits for
	p.send("0613001000000099" + "00070000" + "00000000")       // a description nobody asked for
	p.send("0613000c00000099" + "00070000")                    // one too short to be one
	p.send("0601000c0000009900060000")                         // an error nobody waits for
	p.send("0601001300000099" + "00060000" + "060f0030000000") // and one that quotes seven bytes
	p.send("0601000900000099ff")                               // an error too short to be one
	p.send("0602000800000001")
	p.recv()
	require.EqualValues(t, 4, s.Stats().Ignored)
	require.EqualValues(t, 6, s.Stats().Unmatched)
	require.NoError(t, s.Err())
}

func TestARefusedHelloEndsAlsoASessionThatIsOpen(t *testing.T) {
	p, dial := newPeer(t)
	s := p.greeted(dial, ofconn.Config{})
	p.send("0601000c0000000100000000")
	<-s.Done()
	require.ErrorIs(t, s.Err(), ofconn.ErrIncompatible)
}

// An error finds its call by its own number, however little of the request it
// quotes.
func TestErrorsWithShortQuotesFindTheirCall(t *testing.T) {
	for _, c := range []struct {
		name, quote string
		xid         []byte // instead of the request's
	}{
		{"four bytes", "060f0030", nil},
		{"nothing", "", nil},
		{"seven bytes", "060f0030000000", nil},
		{"the whole header, another number", "060f003000001234", nil},
		{"no number of its own, but a header with it", "060f0030", []byte{0, 0, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, dial := newPeer(t)
			s := p.greeted(dial, ofconn.Config{})
			p.play(func() {
				request := p.recv()
				p.recv() // the barrier
				data := unhex(c.quote)
				m := reply(1, request, append([]byte{0, 6, 0, 0}, data...)...)
				if c.xid != nil {
					m = reply(1, request, append([]byte{0, 6, 0, 0}, request[:8]...)...)
					copy(m[4:], c.xid)
				}
				p.write(m)
			})
			err := commit(t, s, 1)
			require.ErrorIs(t, err, ofgroup.ErrGroupExists)
			require.NotErrorIs(t, err, ofgroup.ErrNotSent)
			require.NoError(t, s.Err())
		})
	}
}

func TestAnErrorTooShortForItsCodeLeavesTheOutcomeUnknown(t *testing.T) {
	p, dial := newPeer(t)
	s := p.greeted(dial, ofconn.Config{})
	p.play(func() { p.write(reply(1, p.recv(), 0)); p.recv() })

	err := commit(t, s, 1)

	require.ErrorIs(t, err, ofgroup.ErrMalformed)
	require.NotErrorIs(t, err, ofgroup.ErrNotSent)
	require.NotErrorAs(t, err, new(*ofgroup.SwitchError))
}

func TestARefusedBarrierIsNoRefusalOfWhatItCovers(t *testing.T) {
	p, dial := newPeer(t)
	s := p.greeted(dial, ofconn.Config{})
	p.play(func() {
		p.recv()
		p.write(reply(1, p.recv(), 0, 1, 0, 1)) // OFPBRC_BAD_TYPE
	})

	err := commit(t, s, 1)

	require.ErrorContains(t, err, "OFPBRC_BAD_TYPE")
	require.NotErrorAs(t, err, new(*ofgroup.SwitchError))
	require.NotErrorIs(t, err, ofgroup.ErrNotSent)
}

func TestASilentSwitchIsAskedAndThenGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, dial := newPeer(t)
		s := p.greeted(dial, ofconn.Config{})
		start := time.Now()
		asked := make(chan time.Duration, 10)
		p.play(func() {
			for m := p.recv(); m != nil; m = p.recv() {
				if m[1] == 2 {
					asked <- time.Since(start)
				}
			}
		})
		pending := make(chan error, 1)
		go func() { pending <- s.Barrier(t.Context()) }()

		<-s.Done()

		require.ErrorIs(t, s.Err(), ofconn.ErrDeadPeer)
		require.Equal(t, 15*time.Second, time.Since(start))
		require.Equal(t, 5*time.Second, <-asked)
		require.Equal(t, 10*time.Second, <-asked)
		require.Error(t, <-pending)
	})
}

// A short DeadAfter alone must not end the connection to a healthy switch that
// has nothing to say.
func TestAQuietSwitchIsAskedBeforeItIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
		defer sw.Close()
		s, err := ofconn.Open(t.Context(), ofconn.Config{Dial: sw.Dial, DeadAfter: time.Second})
		require.NoError(t, err)
		defer s.Close()
		time.Sleep(time.Minute) // of the bubble's clock
		require.NoError(t, s.Err())

		sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgEchoRequest, Times: always, Ignore: true})
		asked := time.Now()
		<-s.Done()
		require.ErrorIs(t, s.Err(), ofconn.ErrDeadPeer)
		require.LessOrEqual(t, time.Since(asked), time.Second)
	})
}

func TestASwitchThatAnswersEchoesStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, dial := newPeer(t)
		s := p.greeted(dial, ofconn.Config{})
		echoes := make(chan int, 1)
		p.play(func() {
			n := 0
			for m := p.recv(); m != nil; m = p.recv() {
				n++
				p.write(reply(3, m))
			}
			echoes <- n
		})
		time.Sleep(time.Hour) // of the bubble's clock
		require.NoError(t, s.Err())
		require.NoError(t, s.Close())
		require.InDelta(t, 720, <-echoes, 1)
	})
}

func TestASwitchThatDoesNotReadIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, dial := newPeer(t)
		s := p.greeted(dial, ofconn.Config{})
		p.play(func() {
			for { // it talks, but it does not listen
				if _, err := p.conn.Write(unhex("060c000800000000")); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		})
		start := time.Now()
		first := make(chan error, 1)
		go func() { first <- commit(t, s, 1) }()
		synctest.Wait()
		second := commit(t, s, 2)
		<-s.Done()

		require.ErrorIs(t, s.Err(), ofconn.ErrDeadPeer)
		require.Equal(t, 15*time.Second, time.Since(start))
		require.NotErrorIs(t, <-first, ofgroup.ErrNotSent, "some bytes may have gone")
		require.ErrorIs(t, second, ofgroup.ErrNotSent)
	})
}

func TestAFloodOfEchoRequestsDoesNotGrowTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, dial := newPeer(t)
		s := p.greeted(dial, ofconn.Config{})
		for range 1000 { // none of the answers is read
			p.send("0602000800000001")
		}
		synctest.Wait()
		// Sixteen are in line, and at most as many in the write that blocks.
		require.GreaterOrEqual(t, s.Stats().Ignored, uint64(1000-16-16))
		require.LessOrEqual(t, s.Stats().Ignored, uint64(1000-16))
	})
}
