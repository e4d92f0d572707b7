package ofsink

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// parallel calls f for 0 to n-1, many at a time, as messages that are under way together share
// barriers, and joins the errors in this order. What ends all of them, a lost connection or the end of
// ctx, is said once, and what has not begun by then is not begun.
func parallel(ctx context.Context, n int, f func(i int) error) error {
	const atOnce = 256
	endsAll := func(err error) bool {
		return errors.Is(err, ofgroup.ErrDisconnected) || ctx.Err() != nil && errors.Is(err, ctx.Err())
	}
	var over atomic.Bool
	var wg sync.WaitGroup
	errs, places := make([]error, n), make(chan struct{}, atOnce)
	for i := range n {
		if places <- struct{}{}; over.Load() {
			break
		}
		wg.Go(func() {
			defer func() { <-places }()
			if errs[i] = f(i); endsAll(errs[i]) && over.Swap(true) {
				errs[i] = nil
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// takeAway calls away for all of these, and returns those that it could not take away.
func takeAway[T any](ctx context.Context, all []T, away func(T) error) (left []T, err error) {
	gone := make([]bool, len(all))
	err = parallel(ctx, len(all), func(i int) error {
		err := away(all[i])
		gone[i] = err == nil
		return err
	})
	for i, one := range all {
		if !gone[i] {
			left = append(left, one)
		}
	}
	return left, err
}
