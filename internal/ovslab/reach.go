package ovslab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
)

// reachPort is the TCP port of Reach; one Reach to a host at a time.
const reachPort = 5001

// Reach sends a greeting over TCP to one of another host's addresses, IPv4 or
// IPv6, and returns nil once it has come back. It takes neighbour discovery,
// where that is not remembered from before, and both directions to work.
func (h *Host) Reach(ctx context.Context, to *Host, addr netip.Addr) error {
	if err := h.reach(ctx, to, netip.AddrPortFrom(addr, reachPort)); err != nil {
		return fmt.Errorf("ovslab: %s does not reach %s at %v: %w", h.Name(), to.Name(), addr, err)
	}
	return nil
}

func (h *Host) reach(ctx context.Context, to *Host, addr netip.AddrPort) error {
	var listener net.Listener
	err := to.Do(func() (err error) {
		listener, err = net.Listen("tcp", addr.String())
		return err
	})
	if err != nil {
		return err
	}
	var echo sync.WaitGroup
	listening, stop := context.WithCancel(ctx)
	echo.Go(func() { echoOnce(listening, listener) })
	err = h.Do(func() error { return greet(ctx, addr) })
	if errors.Is(err, os.ErrDeadlineExceeded) {
		<-ctx.Done() // the dialer is a little early
	}
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	stop()
	err = errors.Join(err, listener.Close())
	echo.Wait()
	return err
}

// echoOnce sends one caller back what it says, until either end is closed or ctx
// ends: where nothing is forwarded one end does not learn that the other closed.
func echoOnce(ctx context.Context, listener net.Listener) {
	conn, err := listener.Accept()
	if err != nil {
		return
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	_, _ = io.CopyN(conn, conn, int64(len(greeting)))
}

const greeting = "are you there?"

// greet runs in the caller's namespace.
func greet(ctx context.Context, addr netip.AddrPort) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", addr.String())
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if _, err := io.WriteString(conn, greeting); err != nil {
		return err
	}
	answer := make([]byte, len(greeting))
	if _, err := io.ReadFull(conn, answer); err != nil {
		return err
	}
	if string(answer) != greeting {
		return fmt.Errorf("%w: %q came back", io.ErrUnexpectedEOF, answer)
	}
	return nil
}
