package ofconn_test

import (
	"context"
	"crypto/tls"
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

var loopback = net.IPv4(127, 0, 0, 1)

// freePort is a TCP port that nobody listens on at this moment.
func freePort(t testing.TB) string {
	t.Helper()
	ln, err := net.ListenTCP("tcp", &net.TCPAddr{IP: loopback})
	require.NoError(t, err)
	defer ln.Close()
	return strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
}

// controlledBy has the bridge listen for, or call, a controller. It answers nobody but
// by OpenFlow meanwhile.
func controlledBy(t testing.TB, lab *ovslab.Lab, target string) {
	t.Helper()
	_, err := lab.Vsctl(t.Context(), "set-controller", lab.Bridge(), target,
		"--", "set", "controller", lab.Bridge(), "connection-mode=out-of-band", "max_backoff=1000")
	require.NoError(t, err)
}

// secured gives the switch a key of its own, and the authority to ask of others.
func secured(t testing.TB, lab *ovslab.Lab) *authority {
	t.Helper()
	a := newAuthority(t)
	a.sign("switch", loopback)
	a.sign("controller", loopback)
	_, err := lab.Vsctl(t.Context(), "set-ssl", a.file("switch.key"), a.file("switch.crt"), a.file("authority.crt"))
	require.NoError(t, err)
	return a
}

// requireAlive uses a Conn over a transport: packets out and in, groups and their
// description, a bundle, and all of it on as many connections in all.
func requireAlive(t *testing.T, lab *ovslab.Lab, dial dialer, connections int, versions ...ofgroup.Version) {
	t.Helper()
	for _, v := range versions {
		heard := newTold()
		conn := ofconn.New(ofconn.Config{Dial: dial, Versions: []ofgroup.Version{v}, Events: heard.events()})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- conn.Run(ctx) }()
		require.NoError(t, conn.WaitConnected(ctx))
		for n := range connections {
			large := ofgroup.New(7, ofgroup.All)
			for range 2000 {
				large = large.AddBuckets(ofgroup.NewBucket(ofgroup.Output(1)))
			}
			_, err := large.Commit(ctx, conn)
			require.NoError(t, err)
			found, ok, err := conn.GroupDesc(ctx, 7)
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, large.Len(), found.Len())
			require.NoError(t, conn.Bundle(ctx, ofconn.FlowMod{Match: ip(), Actions: actions(caughtBy7)}))
			heard.packetThrough(t, lab, 2)
			if n+1 < connections {
				old := live(t, conn)
				conn.Reconnect()
				<-old.Done()
				requireAnother(t, conn, old)
			}
		}
		cancel()
		require.NoError(t, <-done)
	}
}

func TestASwitchThatListensOnTCPIsReached(t *testing.T) {
	lab, port := newLab(t), freePort(t)
	controlledBy(t, lab, "ptcp:"+port+":127.0.0.1")
	requireAlive(t, lab, func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", "127.0.0.1:"+port)
	}, 2, ofgroup.OpenFlow15, ofgroup.OpenFlow13)
}

func TestASwitchThatListensOnTLSIsReached(t *testing.T) {
	lab, port := newLab(t), freePort(t)
	a := secured(t, lab)
	controlledBy(t, lab, "pssl:"+port+":127.0.0.1")
	d := tls.Dialer{Config: a.config("controller")}
	requireAlive(t, lab, func(ctx context.Context) (net.Conn, error) { return d.DialContext(ctx, "tcp", "127.0.0.1:"+port) },
		2, ofgroup.OpenFlow15, ofgroup.OpenFlow13)

	stranger := newAuthority(t)
	stranger.sign("controller", loopback)
	d = tls.Dialer{Config: stranger.config("controller")}
	_, err := ofconn.Open(t.Context(), ofconn.Config{Dial: func(ctx context.Context) (net.Conn, error) {
		return d.DialContext(ctx, "tcp", "127.0.0.1:"+port)
	}})
	require.ErrorAs(t, err, new(*tls.CertificateVerificationError))
	require.ErrorIs(t, err, ofgroup.ErrDisconnected)
}

// Open vSwitch waits for a second or more before it calls again.
func TestASwitchThatCallsByTLSIsReached(t *testing.T) {
	lab := newLab(t)
	a := secured(t, lab)
	ln, err := net.ListenTCP("tcp", &net.TCPAddr{IP: loopback})
	require.NoError(t, err)
	defer ln.Close()
	controlledBy(t, lab, "ssl:"+ln.Addr().String())
	requireAlive(t, lab, calledBy(ln, a.config("controller")), 2, ofgroup.OpenFlow15)
}
