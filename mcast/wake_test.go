package mcast

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Two events that come while two readers are on their way to wait leave one
// word on the channel. Whoever takes it passes it on, or the other would sleep
// beside an event.
func TestAReaderThatLeavesSomethingWakesTheNext(t *testing.T) {
	w := New(Config[string]{}).Watch(0)
	w.push(Event[string]{Member: "a"})
	w.push(Event[string]{Member: "b"})
	<-w.ready
	_, ok := w.TryNext()
	require.True(t, ok)
	require.Len(t, w.ready, 1)
	<-w.ready
	_, ok = w.TryNext()
	require.True(t, ok)
	require.Empty(t, w.ready, "nothing is left")
}
