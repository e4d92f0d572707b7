package mroute

import (
	"context"
	"errors"
	"os"
	"time"
)

// readContext reads until ctx ends.
func readContext(ctx context.Context, f *os.File, b []byte) (n int, err error) {
	err = untilDone(ctx, f, func() (err error) {
		n, err = f.Read(b)
		return err
	})
	return n, err
}

// untilDone calls read, and ends it with ctx. A read that has ended is returned even if ctx has ended meanwhile.
func untilDone(ctx context.Context, r interface{ SetReadDeadline(time.Time) error }, read func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(woken)
		_ = r.SetReadDeadline(time.Unix(1, 0))
	})
	err := read()
	if !stop() {
		<-woken
		_ = r.SetReadDeadline(time.Time{})
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = ctx.Err()
	}
	return err
}
