package ovslab

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
)

// maxRecorded bounds what one recorder remembers.
const maxRecorded = 1 << 17

// socketEvent is one packet that a socket of ours received.
type socketEvent struct {
	packetInfo
	data []byte // valid until the next one is read
}

// recorder remembers what a socket receives, as far as keep makes something of
// it, until it is closed.
type recorder[T any] struct {
	socket *os.File
	owner  *Namespace
	keep   func(socketEvent) (T, bool)
	close  func() error
	end    sync.WaitGroup

	mu      sync.Mutex
	items   []T
	lost    int
	changed chan struct{} // closed and replaced with every item
	over    bool          // nothing more will come
}

// record takes over a socket in the namespace.
func record[T any](owner *Namespace, socket *os.File, keep func(socketEvent) (T, bool)) (*recorder[T], error) {
	r := &recorder[T]{socket: socket, owner: owner, keep: keep, changed: make(chan struct{})}
	r.close = sync.OnceValue(func() error {
		err := socket.Close()
		r.end.Wait()
		return err
	})
	r.end.Go(r.run)
	return r, owner.adopt(r)
}

// Close ends the recording; what was recorded can still be read. Further calls
// return the same.
func (r *recorder[T]) Close() error {
	r.owner.disown(r)
	return r.close()
}

// Lost returns how many packets came after so many that no more are kept.
func (r *recorder[T]) Lost() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

// run reads until the socket is closed.
func (r *recorder[T]) run() {
	buf := make([]byte, 64<<10)
	for {
		event, err := readPacket(r.socket, buf)
		if err != nil {
			r.finish()
			return
		}
		if item, ok := r.keep(event); ok {
			r.add(item)
		}
	}
}

func (r *recorder[T]) add(item T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.items) == maxRecorded {
		r.lost++
		return
	}
	r.items = append(r.items, item)
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *recorder[T]) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	close(r.changed)
}

// recorded returns a copy of what was recorded so far.
func (r *recorder[T]) recorded() []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.items)
}

// state returns what was recorded so far, to be read only, and a channel that
// is closed when there is more or there will be no more.
func (r *recorder[T]) state() (items []T, over bool, changed <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.items[:len(r.items):len(r.items)], r.over, r.changed
}

// await returns what was recorded as soon as it is enough, or what there is
// with an error that says why there will be no more.
func (r *recorder[T]) await(ctx context.Context, enough func([]T) bool) ([]T, error) {
	for {
		items, over, changed := r.state()
		switch {
		case enough(items):
			return slices.Clone(items), nil
		case over:
			return slices.Clone(items), fmt.Errorf("ovslab: recording ended: %w", io.ErrUnexpectedEOF)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return slices.Clone(items), fmt.Errorf("ovslab: recorded %d: %w", len(items), ctx.Err())
		}
	}
}
