package web_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/view"
	"github.com/ofmcast/ofmcast/examples/agent/web"
)

func TestConnectionsAreBoundedAndPlacesComeBack(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- web.Serve(ctx, l, web.Handler(web.Config{Source: newFake()}), slog.New(slog.DiscardHandler))
	}()
	defer func() { cancel(); require.NoError(t, <-ended) }()
	health := func(c net.Conn) string {
		require.NoError(t, c.SetDeadline(time.Now().Add(10*time.Second)))
		if _, err := io.WriteString(c, "GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n"); err != nil {
			return ""
		}
		text, _ := io.ReadAll(c) // one that was closed has none
		return string(text)
	}
	var silent []net.Conn
	for range 512 {
		c, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		defer func() { _ = c.Close() }()
		silent = append(silent, c)
	}
	c, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	require.Empty(t, health(c), "one too many")
	require.NoError(t, c.Close())
	require.Contains(t, health(silent[0]), "ok", "who is there is served")
	require.NoError(t, silent[1].Close())
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		c, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		text := health(c)
		require.NoError(t, c.Close())
		if text != "" {
			return
		}
		require.True(t, time.Now().Before(end), "no place came back")
	}
}

// slow is a Source whose first answers take until it is told.
type slow struct {
	*fake
	first chan struct{} // has a token for each of them
	until chan struct{}
}

func (s slow) State(ctx context.Context) (view.State, error) {
	select {
	case <-s.first:
		<-s.until
	default:
	}
	return s.fake.State(ctx)
}

func TestHowManyAskForStatesIsNoMatterOfHealth(t *testing.T) {
	const most = 8
	src := slow{newFake(), make(chan struct{}, most), make(chan struct{})}
	for range most {
		src.first <- struct{}{}
	}
	handler := web.Handler(web.Config{Source: src})
	get := func(path string) int {
		r := httptest.NewRequest("GET", path, nil)
		r.Host = here
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Code
	}
	codes := make(chan int, most)
	for range most {
		go func() { codes <- get("/api/state") }()
	}
	for end := time.Now().Add(10 * time.Second); len(src.first) > 0; time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end))
	}
	require.Equal(t, http.StatusServiceUnavailable, get("/api/state"))
	require.Equal(t, http.StatusOK, get("/healthz"))
	close(src.until)
	for range most {
		require.Equal(t, http.StatusOK, <-codes)
	}
	require.Equal(t, http.StatusOK, get("/api/state"))
}

// deadlines is a writer that notes what it is given.
type deadlines struct {
	*httptest.ResponseRecorder
	last time.Time
}

func (d *deadlines) SetWriteDeadline(t time.Time) error { d.last = t; return nil }

func TestNoAnswerWaitsForASlowReaderForLong(t *testing.T) {
	metrics := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for _, path := range []string{"/", "/app.js", "/api/state", "/metrics", "/healthz"} {
		w, r := &deadlines{ResponseRecorder: httptest.NewRecorder()}, httptest.NewRequest("GET", path, nil)
		r.Host = here
		web.Handler(web.Config{Source: newFake(), Metrics: metrics}).ServeHTTP(w, r)
		require.False(t, w.last.IsZero(), path)
		require.LessOrEqual(t, time.Until(w.last), 30*time.Second, path)
	}
}
