// Package deadline has contexts whose time is limited at next to no cost: most calls end long before
// their limit, and for these no timer is ever set.
package deadline

import (
	"context"
	"sync/atomic"
	"time"
)

// Context is a context that ends after some time. It has a timer only once somebody asks for Done;
// whoever has timers of his own asks for Limit instead.
type Context struct {
	context.Context // whose values it has, and with which it ends
	at              time.Time
	timed           atomic.Pointer[timed] // once somebody waits for the end
}

// timed is a context that ends by itself.
type timed struct {
	context.Context
	stop context.CancelFunc
}

// Within is ctx with a deadline after d, unless it has one of its own. End is to be called when it is
// of no use any more.
func Within(ctx context.Context, d time.Duration) *Context {
	at, ok := ctx.Deadline()
	if !ok {
		at = time.Now().Add(d)
	}
	return &Context{Context: ctx, at: at}
}

// Limit is what ctx is made of, if it is a Context of this package: one that need not end with the
// time, and when the time is over.
func Limit(ctx context.Context) (within context.Context, at time.Time, ok bool) {
	c, ok := ctx.(*Context)
	if !ok {
		return ctx, time.Time{}, false
	}
	return c.Context, c.at, true
}

// Deadline is when the time is over.
func (c *Context) Deadline() (time.Time, bool) { return c.at, true }

// Done is closed at the end of the time or of the context below; by End, if it was asked for before.
func (c *Context) Done() <-chan struct{} { return c.withTimer().Done() }

func (c *Context) withTimer() *timed {
	if t := c.timed.Load(); t != nil {
		return t
	}
	ctx, stop := context.WithDeadline(c.Context, c.at)
	t := &timed{ctx, stop}
	if !c.timed.CompareAndSwap(nil, t) { // somebody was quicker
		stop()
		return c.timed.Load()
	}
	return t
}

// Err is why it has ended, and nil before.
func (c *Context) Err() error {
	if c.timed.Load() == nil && time.Now().Before(c.at) {
		return c.Context.Err()
	}
	return c.withTimer().Err()
}

// End ends the timer, if there is one.
func (c *Context) End() {
	if t := c.timed.Load(); t != nil {
		t.stop()
	}
}
