package main

import (
	"context"
	"errors"
	"time"

	"github.com/ofmcast/ofmcast/igmp/igmpconn"
)

// input is what comes from the interface: it was opened, a frame, or an error.
type input struct {
	conn  *igmpconn.Conn
	frame igmpconn.Frame
	err   error
}

// retry is how long an interface that is not there is left alone.
const retry = time.Second

// read opens the interface, reads it, and opens it again when there is one of its name again, until
// ctx ends. It ends early with an error that will not go away by itself.
func read(ctx context.Context, name string, inputs chan<- input) {
	give := func(in input) bool {
		select {
		case inputs <- in:
			return true
		case <-ctx.Done():
			return false
		}
	}
	for ctx.Err() == nil {
		// This host's own programs are asked, and heard, too.
		conn, err := igmpconn.Listen(name, igmpconn.Config{Outgoing: true, Loop: true})
		if err == nil {
			if give(input{conn: conn}) {
				err = readAll(ctx, conn, give)
			}
			err = errors.Join(err, conn.Close())
		}
		if ctx.Err() != nil || !give(input{err: err}) || !passes(err) {
			return
		}
		select {
		case <-time.After(retry):
		case <-ctx.Done():
		}
	}
}

// readAll reads until the interface is gone or ctx ends.
func readAll(ctx context.Context, conn *igmpconn.Conn, give func(input) bool) error {
	for {
		f, err := conn.Read(ctx)
		in := input{frame: f, err: err}
		if err != nil && !errors.Is(err, igmpconn.ErrDown) {
			return err
		}
		if !give(in) {
			return ctx.Err()
		}
	}
}

// passes says that an error may go away by itself.
func passes(err error) bool {
	return errors.Is(err, igmpconn.ErrNoInterface) || errors.Is(err, igmpconn.ErrGone) || errors.Is(err, igmpconn.ErrDown)
}
