package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/view"
)

const (
	// maxStreams of events may be open at a time.
	maxStreams = 16
	// writeWithin is how long a slow reader may take for what is written at once.
	writeWithin = 10 * time.Second
)

// events streams what happens. A reader that comes back says with Last-Event-ID what it has seen.
func (s *site) events(w http.ResponseWriter, r *http.Request) {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		busy(w)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	seen, _ := strconv.ParseUint(r.Header.Get("Last-Event-ID"), 10, 64) // else all that is remembered
	out := http.NewResponseController(w)
	heartbeat := time.NewTicker(s.cfg.Heartbeat)
	defer heartbeat.Stop()
	for {
		events, more := s.cfg.Source.Events(seen)
		if err := write(w, out, events); err != nil {
			return
		}
		if len(events) > 0 {
			seen = events[len(events)-1].Seq
		}
		select {
		case <-more:
		case <-heartbeat.C:
		case <-r.Context().Done():
			return
		}
	}
}

// write writes events, or a comment that shows that the stream is alive.
func write(w http.ResponseWriter, out *http.ResponseController, events []view.Event) error {
	// A writer that knows no deadlines is a test's.
	_ = out.SetWriteDeadline(time.Now().Add(writeWithin))
	if len(events) == 0 {
		if _, err := fmt.Fprint(w, ":\n\n"); err != nil {
			return err
		}
	}
	for _, e := range events {
		data, err := json.Marshal(e) // one line: JSON escapes line ends
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "id: %d\ndata: %s\n\n", e.Seq, data); err != nil {
			return err
		}
	}
	return out.Flush()
}
