package main

import (
	"errors"
	"sync"
)

// underWay is how many requests to the switch are made at a time: they share barriers, and a switch
// that is slow to read them is not left with a pile.
const underWay = 64

// atOnce does something with each item, many at a time, and joins the errors in the items' order.
func atOnce[T any](items []T, do func(T) error) error {
	var wg sync.WaitGroup
	errs := make([]error, len(items))
	places := make(chan struct{}, underWay)
	for i, item := range items {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			errs[i] = do(item)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
