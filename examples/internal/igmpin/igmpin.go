// Package igmpin reads the IGMP frames of an interface that comes and goes, for the examples that ask hosts.
package igmpin

import (
	"context"
	"errors"
	"time"

	"github.com/ofmcast/ofmcast/igmp/igmpconn"
)

// Input is what comes from the interface: it was opened, a frame, or an error.
type Input struct {
	Conn  *igmpconn.Conn // to send on, until the next error that is not igmpconn.ErrDown
	Frame igmpconn.Frame
	Err   error
}

// retry is how long an interface that is not there is left alone.
const retry = time.Second

// Read opens the interface, reads it, and opens it again when there is one of its name again, until ctx ends. It hands
// out what comes by give, which is false when nothing more is wanted. It ends early with an error that does not pass.
func Read(ctx context.Context, name string, give func(Input) bool) {
	for ctx.Err() == nil {
		// This host's own programs are asked, and heard, too.
		conn, err := igmpconn.Listen(name, igmpconn.Config{Outgoing: true, Loop: true})
		if err == nil {
			if give(Input{Conn: conn}) {
				err = readAll(ctx, conn, give)
			}
			err = errors.Join(err, conn.Close())
		}
		if ctx.Err() != nil || !give(Input{Err: err}) || !Passes(err) {
			return
		}
		select {
		case <-time.After(retry):
		case <-ctx.Done():
		}
	}
}

// readAll reads until the interface is gone or ctx ends.
func readAll(ctx context.Context, conn *igmpconn.Conn, give func(Input) bool) error {
	for {
		f, err := conn.Read(ctx)
		in := Input{Frame: f, Err: err}
		if err != nil && !errors.Is(err, igmpconn.ErrDown) {
			return err
		}
		if !give(in) {
			return ctx.Err()
		}
	}
}

// Wait waits for an input until then, and takes all that are there, at most what the channel holds: when the program was
// held up, answers that have come count before the time that has passed. The error is the first of take's.
func Wait[T any](ctx context.Context, inputs <-chan T, until time.Time, take func(T) error) error {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case in := <-inputs:
		if err := take(in); err != nil {
			return err
		}
	case <-timer.C:
	case <-ctx.Done():
	}
	for range cap(inputs) {
		select {
		case in := <-inputs:
			if err := take(in); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// Passes says that an error may go away by itself.
func Passes(err error) bool {
	return errors.Is(err, igmpconn.ErrNoInterface) || errors.Is(err, igmpconn.ErrGone) || errors.Is(err, igmpconn.ErrDown)
}
