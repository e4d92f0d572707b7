package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/view"
	"github.com/ofmcast/ofmcast/examples/agent/web"
)

// stream is an open stream of events.
type stream struct {
	t     *testing.T
	lines *bufio.Scanner
	Close func()
}

// open opens a stream behind an event. It must be closed.
func open(t *testing.T, client *http.Client, url, last string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	r, err := http.NewRequestWithContext(ctx, "GET", url+"/events", nil)
	require.NoError(t, err)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	resp, err := client.Do(r)
	require.NoError(t, err)
	require.Equal(t, 200, resp.StatusCode)
	require.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
	return &stream{t, bufio.NewScanner(resp.Body), func() { cancel(); _ = resp.Body.Close() }}
}

// next returns the next line that is not empty.
func (s *stream) next() string {
	s.t.Helper()
	for s.lines.Scan() {
		if s.lines.Text() != "" {
			return s.lines.Text()
		}
	}
	require.Fail(s.t, "the stream ended")
	return ""
}

func (s *stream) event() view.Event {
	s.t.Helper()
	id := s.next()
	data, ok := strings.CutPrefix(s.next(), "data: ")
	require.True(s.t, ok)
	var e view.Event
	require.NoError(s.t, json.Unmarshal([]byte(data), &e))
	require.Equal(s.t, id, "id: "+jsonOf(s.t, e.Seq))
	return e
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func TestEventsComeAsTheyHappen(t *testing.T) {
	f := newFake()
	server := serve(t, web.Config{Source: f})
	s := open(t, server.Client(), server.URL, "")
	defer s.Close()
	for _, text := range hostile {
		e := s.event()
		require.Equal(t, strings.ToValidUTF8(text, ""), e.Name, "whatever is in a name, it is one event")
	}
	f.add(view.Event{Kind: "left", Text: "new"})
	require.Equal(t, "new", s.event().Text)
}

func TestAReaderThatComesBackGoesOnWhereItWas(t *testing.T) {
	f := newFake()
	server := serve(t, web.Config{Source: f, Heartbeat: 10 * time.Millisecond})
	s := open(t, server.Client(), server.URL, jsonOf(t, len(hostile)-1))
	defer s.Close()
	require.EqualValues(t, len(hostile), s.event().Seq)
	require.Equal(t, ":", s.next(), "nothing happens, and the stream lives")
}

func TestStreamsAreBoundedAndPlacesComeBack(t *testing.T) {
	server := serve(t, web.Config{Source: newFake(), Heartbeat: 10 * time.Millisecond})
	var open16 []*stream
	for range 16 {
		open16 = append(open16, open(t, server.Client(), server.URL, ""))
	}
	resp, err := server.Client().Get(server.URL + "/events")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	require.NotEmpty(t, resp.Header.Get("Retry-After"))
	resp, err = server.Client().Get(server.URL + "/healthz")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, 200, resp.StatusCode, "everything else is served")
	for _, s := range open16 {
		s.Close()
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		resp, err := server.Client().Head(server.URL + "/events")
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		if resp.StatusCode == 200 {
			return
		}
		require.True(t, time.Now().Before(end), "no place came back")
	}
}
