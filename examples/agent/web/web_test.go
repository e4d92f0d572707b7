package web_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/view"
	"github.com/ofmcast/ofmcast/examples/agent/web"
)

// ask answers a request without a network.
func ask(cfg web.Config, method, path, host string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	r.Host = host
	w := httptest.NewRecorder()
	web.Handler(cfg).ServeHTTP(w, r)
	return w
}

const here = "127.0.0.1:9500"

func TestTheStateIsServedWhole(t *testing.T) {
	f := newFake()
	w := ask(web.Config{Source: f}, "GET", "/api/state", here)
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	var s view.State
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &s))
	require.Equal(t, hostile[0], s.Bridge)
	require.Len(t, s.Ports, len(hostile)+1)
	require.NotContains(t, w.Body.String(), "<script", "also who takes it for HTML gets no markup")
}

func TestOnlyLookingIsAllowed(t *testing.T) {
	cfg := web.Config{Source: newFake(), Pprof: true, Metrics: http.NotFoundHandler()}
	for _, path := range []string{"/", "/api/state", "/events", "/metrics", "/healthz", "/debug/pprof/symbol"} {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE", "WHATEVER"} {
			w := ask(cfg, method, path, here)
			require.Equal(t, http.StatusMethodNotAllowed, w.Code, "%s %s", method, path)
			require.Equal(t, "GET, HEAD", w.Header().Get("Allow"))
		}
		require.NotEqual(t, http.StatusMethodNotAllowed, ask(cfg, "HEAD", path, here).Code)
	}
}

func TestAnotherNameThatLeadsHereIsRefused(t *testing.T) {
	cfg := web.Config{Source: newFake(), Names: []string{"Agent.example"}}
	for host, code := range map[string]int{
		"127.0.0.1:9500": 200, "127.0.0.1": 200, "[::1]:9500": 200, "[::1]": 200, "192.0.2.7:80": 200,
		"localhost": 200, "LOCALHOST:9500": 200, "localhost.": 200, "agent.example": 200, "agent.example:9500": 200,
		"evil.example": 421, "evil.example:9500": 421, "localhost.evil.example": 421, "127.0.0.1.evil.example": 421,
		"": 421, ":9500": 421, "127.0.0.1@evil.example": 421,
	} {
		require.Equal(t, code, ask(cfg, "GET", "/api/state", host).Code, host)
	}
}

func TestBrowsersAreToldToDoNothingElse(t *testing.T) {
	for _, path := range []string{"/", "/app.js", "/app.css", "/icon.svg", "/api/state", "/healthz", "/nothing"} {
		h := ask(web.Config{Source: newFake()}, "GET", path, here).Header()
		require.Contains(t, h.Get("Content-Security-Policy"), "default-src 'none'", path)
		require.NotContains(t, h.Get("Content-Security-Policy"), "unsafe")
		require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"))
		require.Equal(t, "no-store", h.Get("Cache-Control"))
		require.Empty(t, h.Get("Access-Control-Allow-Origin"), "no other site may read it")
	}
}

func TestThePageNeedsNothingFromTheNet(t *testing.T) {
	for path, kind := range map[string]string{"/": "text/html", "/app.js": "text/javascript", "/app.css": "text/css", "/icon.svg": "image/svg+xml"} {
		w := ask(web.Config{Source: newFake()}, "GET", path, here)
		require.Equal(t, http.StatusOK, w.Code, path)
		require.True(t, strings.HasPrefix(w.Header().Get("Content-Type"), kind), path)
		body := strings.ReplaceAll(w.Body.String(), "http://www.w3.org/2000/svg", "")
		require.NotContains(t, body, "//www", path)
		require.NotContains(t, body, "http:", path)
		require.NotContains(t, body, "https:", path)
		require.NotContains(t, body, "innerHTML", path)
	}
	require.Equal(t, http.StatusNotFound, ask(web.Config{Source: newFake()}, "GET", "/other", here).Code)
}

func TestHealthIsAboutTheAgentAndNotAboutTheSwitch(t *testing.T) {
	f := newFake()
	w := ask(web.Config{Source: f}, "GET", "/healthz", here)
	require.Equal(t, 200, w.Code)
	require.Equal(t, "ok\nswitch connected\n", w.Body.String())
	f.state.Switch.Connected = false
	w = ask(web.Config{Source: f}, "GET", "/healthz", here)
	require.Equal(t, 200, w.Code, "to restart the agent would not help")
	require.Equal(t, "ok\nswitch away\n", w.Body.String())
	f.err = errors.New("stuck")
	require.Equal(t, 503, ask(web.Config{Source: f}, "GET", "/healthz", here).Code)
	require.Equal(t, 503, ask(web.Config{Source: f}, "GET", "/api/state", here).Code)
}

func TestProfilesAndMetricsAreThereIfWanted(t *testing.T) {
	cfg := web.Config{Source: newFake()}
	require.Equal(t, 404, ask(cfg, "GET", "/debug/pprof/", here).Code)
	require.Equal(t, 404, ask(cfg, "GET", "/metrics", here).Code)
	cfg.Pprof = true
	cfg.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "up 1\n") })
	require.Equal(t, 200, ask(cfg, "GET", "/debug/pprof/", here).Code)
	require.Equal(t, 200, ask(cfg, "GET", "/debug/pprof/goroutine?debug=1", here).Code)
	require.Equal(t, "up 1\n", ask(cfg, "GET", "/metrics", here).Body.String())
}
