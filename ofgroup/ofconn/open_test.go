package ofconn_test

import (
	"context"
	"encoding/hex"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

func TestHelloIsWhatOtherControllersSend(t *testing.T) {
	for _, c := range []struct {
		versions []ofgroup.Version
		want     string
	}{
		{nil, ofctlHello15},
		{[]ofgroup.Version{ofgroup.OpenFlow13, ofgroup.OpenFlow15}, ofctlHello13And15},
	} {
		p, dial := newPeer(t)
		heard := make(chan string, 1)
		p.play(func() {
			heard <- hex.EncodeToString(p.recv())
			p.send(switchHello15)
		})
		open(t, dial, c.versions...)
		require.Equal(t, c.want, <-heard)
	}
}

func TestTheHighestCommonVersionIsSpoken(t *testing.T) {
	both := []ofgroup.Version{ofgroup.OpenFlow13, ofgroup.OpenFlow15}
	for _, c := range []struct {
		name, hello string
		ours        []ofgroup.Version
		want        ofgroup.Version
	}{
		{"bitmap with 1.5", switchHello15, both, ofgroup.OpenFlow15},
		{"bitmap with 1.3 only", switchHello10And13, both, ofgroup.OpenFlow13},
		{"no bitmap is all up to the header's", switchHelloUpTo15, both, ofgroup.OpenFlow15},
		{"no bitmap, we want an older one", switchHelloUpTo15, both[:1], ofgroup.OpenFlow13},
		{"the bitmap counts, not the header", "06000010000000010001000800000010", both, ofgroup.OpenFlow13},
		{"unknown element before the bitmap", "0600001800000001" + "0009000500000000" + "0001000800000010", both, ofgroup.OpenFlow13},
		{"element too long for the message", "060000100000000100010099aaaaaaaa", both, ofgroup.OpenFlow15},
		{"bitmap of no words", "060000100000000100010004aaaaaaaa", both, ofgroup.OpenFlow15},
		{"a version from the future", "ff00000800000001", both, ofgroup.OpenFlow15},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, dial := newPeer(t)
			p.play(func() { p.send(c.hello); p.recv() })
			require.Equal(t, c.want, open(t, dial, c.ours...).Version())
		})
	}
}

func TestNoCommonVersionIsATypedErrorAndTheSwitchIsTold(t *testing.T) {
	p, dial := newPeer(t)
	told := make(chan []byte, 1)
	p.play(func() {
		p.send(switchHello10And13)
		p.recv() // our hello
		told <- p.recv()
	})

	_, err := ofconn.Open(t.Context(), ofconn.Config{Dial: dial})

	require.ErrorIs(t, err, ofconn.ErrIncompatible)
	require.ErrorIs(t, err, ofgroup.ErrDisconnected)
	var incompatible *ofconn.IncompatibleError
	require.ErrorAs(t, err, &incompatible)
	require.Equal(t, []ofgroup.Version{1, ofgroup.OpenFlow13}, incompatible.Peer)
	require.Equal(t, []ofgroup.Version{ofgroup.OpenFlow15}, incompatible.Offered)
	refusal := <-told
	require.Equal(t, []byte{0, 0, 0, 0}, refusal[8:12], "OFPET_HELLO_FAILED, OFPHFC_INCOMPATIBLE")
	require.Contains(t, string(refusal[12:]), "OpenFlow 1.5")
}

func TestIncompatibleVersionsAreToldInWords(t *testing.T) {
	for _, c := range []struct{ hello, want string }{
		{"0100000800000001", "the switch speaks OpenFlow 1.0 only, we offered OpenFlow 1.5"},
		{"0400000800000001", "the switch speaks OpenFlow 1.0, 1.1, 1.2 and 1.3, we offered OpenFlow 1.5"},
		{switchHello10And13, "the switch speaks OpenFlow 1.0 and 1.3, we offered OpenFlow 1.5"},
		{"06000010000000010001000800000000", "the switch named none that it speaks, we offered OpenFlow 1.5"},
		{"06000010000000010001000800000080", "the switch speaks OpenFlow version 0x07 only, we offered OpenFlow 1.5"},
		{"0601000c00000001" + "00000000", "the switch refused our hello, we offered OpenFlow 1.5"},
	} {
		p, dial := newPeer(t)
		p.play(func() { p.send(c.hello); p.recv(); p.recv() })
		_, err := ofconn.Open(t.Context(), ofconn.Config{Dial: dial})
		require.ErrorIs(t, err, ofconn.ErrIncompatible)
		require.ErrorContains(t, err, "no OpenFlow version in common: "+c.want)
	}
}

func TestARealSwitchOfAnotherVersion(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{Protocols: "OpenFlow10,OpenFlow13"})

	_, err := ofconn.Open(t.Context(), ofconn.Config{Dial: lab.Dial})
	require.ErrorIs(t, err, ofconn.ErrIncompatible)

	s := open(t, lab.Dial, ofgroup.OpenFlow13, ofgroup.OpenFlow15)
	require.Equal(t, ofgroup.OpenFlow13, s.Version())
}

func TestTheSwitchsRefusalOfOurHelloIsTheSameTypedError(t *testing.T) {
	p, dial := newPeer(t)
	p.play(func() { p.send("0601000f00000001" + "00000000" + hex.EncodeToString([]byte("sry"))) })

	_, err := ofconn.Open(t.Context(), ofconn.Config{Dial: dial})

	require.ErrorIs(t, err, ofconn.ErrIncompatible)
	require.ErrorContains(t, err, "sry")
}

func TestAnotherRefusalOfTheHelloIsASwitchError(t *testing.T) {
	p, dial := newPeer(t)
	p.play(func() { p.send("0601000c00000001" + "00000001") }) // OFPHFC_EPERM

	_, err := ofconn.Open(t.Context(), ofconn.Config{Dial: dial})

	var refused *ofgroup.SwitchError
	require.ErrorAs(t, err, &refused)
	require.ErrorContains(t, err, "OFPHFC_EPERM")
}

func TestAnythingElseThanAHelloIsAProtocolViolation(t *testing.T) {
	for _, first := range []string{"0602000800000001", "0600000700000001", "0601000900000001ff", "0601000c0000000100060000"} {
		p, dial := newPeer(t)
		p.play(func() { p.send(first) })
		_, err := ofconn.Open(t.Context(), ofconn.Config{Dial: dial})
		require.ErrorIs(t, err, ofconn.ErrProtocol)
		require.ErrorIs(t, err, ofgroup.ErrDisconnected)
		require.Nil(t, p.recv(), "the connection is closed")
	}
}

func TestOpenEndsWithItsContextAndClosesTheConnection(t *testing.T) {
	for _, silent := range []string{"", "06000010", switchHelloUpTo15} {
		synctest.Test(t, func(t *testing.T) {
			p, dial := newPeer(t)
			p.play(func() { p.send(silent) }) // and it never reads our hello
			start := time.Now()

			_, err := ofconn.Open(t.Context(), ofconn.Config{Dial: dial, Timeout: 3 * time.Second})

			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.ErrorIs(t, err, ofgroup.ErrDisconnected)
			require.ErrorContains(t, err, "waiting for the switch's hello: context deadline exceeded")
			require.NotContains(t, err.Error(), "\n")
			require.Equal(t, 3*time.Second, time.Since(start))
			_, err = p.conn.Write([]byte{0})
			require.ErrorIs(t, err, io.ErrClosedPipe)
		})
	}
}

func TestAPeerThatClosesAtOnceIsAnError(t *testing.T) {
	p, dial := newPeer(t)
	require.NoError(t, p.conn.Close())
	_, err := ofconn.Open(t.Context(), ofconn.Config{Dial: dial})
	require.ErrorIs(t, err, ofgroup.ErrDisconnected)
	require.ErrorIs(t, err, io.EOF)
}

func TestAFailedDialIsTheCause(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	require.NoError(t, lab.Close())
	_, err := ofconn.Open(t.Context(), ofconn.Config{Dial: lab.Dial})
	require.ErrorIs(t, err, ofgroup.ErrDisconnected)
	require.ErrorContains(t, err, lab.Mgmt())
}

func TestAVersionThatWeCannotSpeakIsRefusedBeforeTheDial(t *testing.T) {
	_, err := ofconn.Open(t.Context(), ofconn.Config{Versions: []ofgroup.Version{5}})
	require.ErrorIs(t, err, ofgroup.ErrVersion)
}

func TestWithoutADialThereIsAnErrorAndNoPanic(t *testing.T) {
	_, err := ofconn.Open(t.Context(), ofconn.Config{})
	require.ErrorIs(t, err, ofconn.ErrNoDial)
	require.ErrorIs(t, ofconn.New(ofconn.Config{}).Run(t.Context()), ofconn.ErrNoDial)
}
