// Package mcasttest has sinks for tests of code that uses package mcast.
//
// # The model
//
// A test puts one of these sinks in the place of the real one, feeds the cache,
// and asks the sink afterwards what it was told:
//
//   - a [Recorder] notes every call, and keeps what a sink that did what it was
//     told would hold. Its OnSync and OnPrune can fail, wait or look.
//   - a [Failing] one returns errors, until it is healed or for so many calls.
//   - a [Slow] one takes its time.
//   - a [Stuck] one does not come back, whatever becomes of its context.
//
// The last three are Recorders too, whose OnSync and OnPrune are called when
// their own misbehaviour is over. What a Recorder holds follows the rules of a
// real sink: a call that failed changes nothing, an empty state takes the group
// away, a Prune takes away all groups but those named.
//
//	rec := &mcasttest.Recorder[Port]{}
//	handle, err := cache.AddSink("rec", rec, mcast.SinkConfig{})
//	…
//	err = cache.Flush(ctx)                  // or Run
//	rec.Holds()[group].Has(port)            // what the switch would have
//	rec.Calls(), rec.Prunes()               // and how it came to that
//	rec.Overlaps()                          // 0, or the cache has broken a promise
//
// # Time and concurrency
//
// All methods may be called from any goroutine, the fields are set before the
// first call. Slow waits on the clock of package time, which is that of a
// testing/synctest bubble in one; the others know no time. A Stuck sink must be
// released, or its goroutines stay, which a leak checker will tell.
//
// Recorders keep every state that they were told, so they are for tests alone:
// their memory grows with the number of calls.
package mcasttest
