package ofconn

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// Open connects to the switch, agrees on a version with it and asks for the
// events that have a handler. ctx, or Config.Timeout if it has no deadline,
// bounds that; afterwards it has no effect on the session. The errors match
// ofgroup.ErrDisconnected and the cause: that of Dial, an *IncompatibleError,
// ErrProtocol, what the switch refused, or the context's; ErrNoDial or
// ofgroup.ErrVersion for a Config that cannot be used.
func Open(ctx context.Context, cfg Config) (*Session, error) {
	cfg = cfg.withDefaults()
	in := newInbox(cfg.Events, cfg.lasting.log)
	ctx, cancel := cfg.bound(ctx)
	defer cancel()
	s, err := connect(ctx, cfg, in)
	if err != nil {
		return nil, err
	}
	s.running.Go(in.run)
	s.running.Go(func() {
		<-s.done
		in.close()
	})
	if err := s.configure(ctx); err != nil {
		s.Close()
		return nil, disconnected(err)
	}
	in.admit()
	return s, nil
}

// bound gives ctx the default timeout unless it has a deadline.
func (c Config) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, c.Timeout)
}

// connect dials, shakes hands and starts a session whose events go to in. ctx
// has a deadline. The errors are Open's.
func connect(ctx context.Context, cfg Config, in *inbox) (*Session, error) {
	if err := cfg.check(); err != nil {
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
	s := newSession(conn, version, cfg, in)
	s.start(r)
	return s, nil
}

// check refuses versions that this module cannot speak, and no Dial.
func (c Config) check() error {
	for _, v := range c.Versions {
		if v != ofgroup.OpenFlow13 && v != ofgroup.OpenFlow15 {
			return fmt.Errorf("%v: %w", v, ofgroup.ErrVersion)
		}
	}
	if c.Dial == nil {
		return ErrNoDial
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
		if err == nil || isTimeout(err) {
			return 0, fmt.Errorf("%s: %w", awaitingHello, ctx.Err())
		}
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
		return 0, fmt.Errorf("sending our hello: %w", err)
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

// awaitingHello is what a silent switch or a dead socket keeps us at.
const awaitingHello = "waiting for the switch's hello"

// helloXID numbers our hello; the session's own numbers go on from there.
const helloXID = 1

// readHello reads the switch's first message, which must be its hello or its
// refusal of ours, and returns the versions it offers.
func readHello(r *bufio.Reader, ours []ofgroup.Version) ([]ofgroup.Version, error) {
	h, msg, err := nextMessage(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", awaitingHello, err)
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
