package ovslab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
)

// Relay passes OpenFlow connections on to a switch and counts the messages of
// each type that go by. It forwards the bytes as they come and sees only the
// headers, with a parser of its own, so that its count is evidence against the
// code under test. A message is counted before its bytes are passed on: who
// has the answer to a message finds that message counted. It remembers every
// message until Reset. Its methods may be called from any number of goroutines.
type Relay struct {
	path     string
	upstream func(context.Context) (net.Conn, error)
	listener net.Listener
	toSwitch *tally
	toClient *tally
	cancel   context.CancelFunc
	close    func() error
	running  sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]struct{} // nil after Close
}

// newRelay listens on the Unix socket path and connects every client to a
// connection of its own from upstream. Close ends it.
func newRelay(path string, upstream func(context.Context) (net.Conn, error)) (*Relay, error) {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("ovslab: relay: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &Relay{
		path: path, upstream: upstream, listener: listener, cancel: cancel,
		toSwitch: newTally(), toClient: newTally(), conns: map[net.Conn]struct{}{},
	}
	r.close = sync.OnceValue(r.end)
	r.running.Go(func() { r.accept(ctx) })
	return r, nil
}

const relaySocket = "of"

// Relay starts a relay in front of the lab's bridge. The caller closes it.
func (l *Lab) Relay() (*Relay, error) {
	dir, err := os.MkdirTemp(l.dir, "r")
	if err != nil {
		return nil, fmt.Errorf("ovslab: relay: %w", err)
	}
	return newRelay(filepath.Join(dir, relaySocket), l.Dial)
}

// Path returns the socket that clients connect to.
func (r *Relay) Path() string { return r.path }

// Dial connects to the switch through the relay.
func (r *Relay) Dial(ctx context.Context) (net.Conn, error) { return dialUnix(ctx, r.path) }

// ToSwitch returns what clients have sent since the last Reset.
func (r *Relay) ToSwitch() Traffic { return r.toSwitch.traffic() }

// FromSwitch returns what the switch has sent since the last Reset.
func (r *Relay) FromSwitch() Traffic { return r.toClient.traffic() }

// Reset sets both counts to nothing. A message of which only a part has gone
// by is counted when its rest does.
func (r *Relay) Reset() {
	r.toSwitch.reset()
	r.toClient.reset()
}

// Close closes every connection and returns when nothing runs any more.
// Further calls return the same.
func (r *Relay) Close() error { return r.close() }

func (r *Relay) end() error {
	r.cancel()
	err := r.listener.Close()
	r.mu.Lock()
	conns := r.conns
	r.conns = nil
	r.mu.Unlock()
	for c := range conns {
		c.Close()
	}
	r.running.Wait()
	return err
}

// accept runs until the listener is closed.
func (r *Relay) accept(ctx context.Context) {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.running.Go(func() { r.serve(ctx, client) })
	}
}

// serve joins a client to the switch until either closes its end.
func (r *Relay) serve(ctx context.Context, client net.Conn) {
	defer client.Close()
	server, err := r.upstream(ctx)
	if err != nil {
		return // the client sees its connection closed
	}
	defer server.Close()
	if !r.track(client, server) {
		return
	}
	defer r.untrack(client, server)
	var pumps sync.WaitGroup
	pumps.Go(func() { pump(server, client, r.toSwitch) })
	pumps.Go(func() { pump(client, server, r.toClient) })
	pumps.Wait()
}

// track remembers connections that Close must close; false after Close.
func (r *Relay) track(conns ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conns == nil {
		return false
	}
	for _, c := range conns {
		r.conns[c] = struct{}{}
	}
	return true
}

func (r *Relay) untrack(conns ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range conns {
		delete(r.conns, c)
	}
}

// pump copies from src to dst and shows what it copies to the tally. At the
// end both are closed, so that the other direction ends too.
func pump(dst, src net.Conn, t *tally) {
	defer dst.Close()
	defer src.Close()
	var stream splitter
	buf := make([]byte, 64<<10)
	for {
		n, err := src.Read(buf)
		stream.feed(buf[:n], t.count)
		if _, werr := dst.Write(buf[:n]); errors.Join(err, werr) != nil {
			return
		}
	}
}
