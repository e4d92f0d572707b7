package ofsink

import (
	"errors"
	"sync"
)

// parallel calls f for 0 to n-1, many at a time, as messages that are under way together share
// barriers, and joins the errors in this order.
func parallel(n int, f func(i int) error) error {
	const atOnce = 256
	var wg sync.WaitGroup
	errs, places := make([]error, n), make(chan struct{}, atOnce)
	for i := range n {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			errs[i] = f(i)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
