package ofconn

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// Open connects to the switch and agrees on a version with it. ctx, or
// Config.Timeout if it has no deadline, bounds both; afterwards it has no
// effect on the session. The errors match ofgroup.ErrDisconnected and the
// cause: that of Dial, an *IncompatibleError, ErrProtocol, or the context's.
func Open(ctx context.Context, cfg Config) (*Session, error) {
	cfg = cfg.withDefaults()
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, cfg.Timeout)
		defer cancel()
	}
	if err := checkVersions(cfg.Versions); err != nil {
		return nil, disconnected(err)
	}
	conn, err := cfg.Dial(ctx)
	if err != nil {
		return nil, disconnected(fmt.Errorf("dial: %w", err))
	}
	r := newReader(conn)
	version, err := shakeHands(ctx, conn, r, cfg.Versions)
	if err != nil {
		conn.Close()
		return nil, disconnected(err)
	}
	s := newSession(conn, version, cfg)
	s.start(r)
	return s, nil
}

// checkVersions refuses what this module cannot speak.
func checkVersions(versions []ofgroup.Version) error {
	for _, v := range versions {
		if v != ofgroup.OpenFlow13 && v != ofgroup.OpenFlow15 {
			return fmt.Errorf("%v: %w", v, ofgroup.ErrVersion)
		}
	}
	return nil
}

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// shakeHands runs exchangeHellos so that the end of ctx breaks it off.
func shakeHands(ctx context.Context, conn net.Conn, r *bufio.Reader, ours []ofgroup.Version) (ofgroup.Version, error) {
	broken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(broken)
		conn.SetDeadline(longAgo)
	})
	version, err := exchangeHellos(conn, r, ours)
	if !stop() {
		<-broken // or its deadline would still come over the session
		return 0, errors.Join(ctx.Err(), err)
	}
	return version, err
}

// exchangeHellos sends our hello and reads theirs, at the same time: over a
// connection without buffers both sides would else wait for each other.
func exchangeHellos(conn net.Conn, r *bufio.Reader, ours []ofgroup.Version) (ofgroup.Version, error) {
	sent := make(chan error, 1)
	go func() {
		_, err := conn.Write(appendHello(nil, helloXID, ours))
		sent <- err
	}()
	theirs, err := readHello(r, ours)
	if err != nil {
		conn.SetDeadline(longAgo) // ends the write
		<-sent
		return 0, err
	}
	if err := <-sent; err != nil {
		return 0, fmt.Errorf("hello: %w", err)
	}
	version, err := negotiate(ours, theirs)
	if err != nil {
		refusal := appendHelloFailed(nil, uint8(slices.Max(ours)), helloXID, err.Error())
		conn.SetWriteDeadline(time.Now().Add(courtesy))
		_, _ = conn.Write(refusal)
	}
	return version, err
}

// courtesy is how long a switch of other versions has to take its refusal.
const courtesy = time.Second

// helloXID numbers our hello; the session's own numbers go on from there.
const helloXID = 1

// readHello reads the switch's first message, which must be its hello or its
// refusal of ours, and returns the versions it offers.
func readHello(r *bufio.Reader, ours []ofgroup.Version) ([]ofgroup.Version, error) {
	h, msg, err := nextMessage(r)
	if err != nil {
		return nil, fmt.Errorf("hello: %w", err)
	}
	defer r.Discard(len(msg))
	switch h.Type {
	case openflow.TypeHello:
		return peerVersions(msg), nil
	case openflow.TypeError:
		if e, err := ofgroup.ParseSwitchError(msg); err == nil {
			if refused, ok := helloRefused(e, ours); ok {
				return nil, refused
			}
		}
	}
	return nil, fmt.Errorf("%w: message of type %d instead of its hello", ErrProtocol, h.Type)
}
