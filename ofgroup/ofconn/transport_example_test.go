package ofconn_test

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// A bridge that listens for TLS, as after "ovs-vsctl set-controller br0 pssl:6653": the
// configuration has our certificate, for the switch asks for one, and the authority that
// signed the switch's.
func ExampleConfig_tls() {
	var config tls.Config // Certificates, RootCAs, ServerName
	dialer := &tls.Dialer{Config: &config}
	conn := ofconn.New(ofconn.Config{
		Dial: func(ctx context.Context) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp", "192.0.2.1:6653")
		},
	})
	_ = conn
}

// A bridge that calls its controller, as after "ovs-vsctl set-controller br0
// ssl:192.0.2.2:6653": to dial is to wait for its call. Over plain TCP the TLS server is
// left out.
func ExampleConfig_listen() {
	ln, err := net.ListenTCP("tcp", &net.TCPAddr{Port: 6653})
	if err != nil {
		return
	}
	defer ln.Close()
	conn := ofconn.New(ofconn.Config{
		Dial: calledBy(ln, &tls.Config{ /* Certificates, ClientCAs, ClientAuth */ }),
	})
	_ = conn
}

// calledBy is a Config.Dial that waits for the switch's call, as long as its context
// lasts, and shakes hands with it.
func calledBy(ln *net.TCPListener, config *tls.Config) func(context.Context) (net.Conn, error) {
	return func(ctx context.Context) (net.Conn, error) {
		if err := ln.SetDeadline(time.Time{}); err != nil {
			return nil, err
		}
		defer context.AfterFunc(ctx, func() { ln.SetDeadline(time.Unix(1, 0)) })()
		c, err := ln.Accept()
		if err != nil {
			return nil, err
		}
		secure := tls.Server(c, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			c.Close()
			return nil, err
		}
		return secure, nil
	}
}
