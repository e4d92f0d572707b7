package web_test

import (
	"context"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/web"
)

// findBrowser returns the path of one. It is a large thing to install for one test, so nobody has to who may
// skip tests.
func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "true" {
		t.Skip("no chromium: the page is not looked at in a browser")
	}
	require.Fail(t, "no chromium")
	return ""
}

// browser runs a headless browser on the site and returns what it prints.
func browser(t *testing.T, args ...string) string {
	t.Helper()
	path := findBrowser(t)
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--user-data-dir=" + t.TempDir(), "--no-first-run", "--disable-background-networking", "--virtual-time-budget=3000",
	}, args...)...)
	cmd.WaitDelay = 5 * time.Second
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	for line := range strings.Lines(stderr.String()) {
		require.NotContains(t, line, "CONSOLE", "what the browser complains about")
	}
	return string(out)
}

// ending ends a stream of events soon and for good: a browser that has been told to wait until nothing
// happens any more waits for that.
func ending(next http.Handler) http.Handler {
	var streams atomic.Int32
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/events" {
			if streams.Add(1) > 1 {
				w.WriteHeader(http.StatusNoContent)
				return
			}
			ctx, cancel := context.WithTimeout(r.Context(), time.Second)
			defer cancel()
			r = r.WithContext(ctx)
		}
		next.ServeHTTP(w, r)
	})
}

// siteToLookAt returns the address of a page full of hostile texts.
func siteToLookAt(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(ending(web.Handler(web.Config{Source: newFake()})))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

func TestABrowserShowsWhatOthersHaveChosenAsText(t *testing.T) {
	dom := browser(t, "--enable-logging=stderr", "--dump-dom", siteToLookAt(t))
	require.Contains(t, dom, "multicast</title>")
	require.NotContains(t, dom, "<title>owned")
	require.Equal(t, 1, strings.Count(dom, "<script"), "the page's own")
	require.NotContains(t, dom, "<img")
	require.Equal(t, 1, strings.Count(dom, "<svg"), "the chart")
	for _, text := range hostile[:4] {
		escaped := strings.NewReplacer("&#34;", `"`, "&#39;", "'").Replace(html.EscapeString(text))
		require.GreaterOrEqual(t, strings.Count(dom, escaped), 5, "in groups, ports, sinks, warnings and events: %s", text)
	}
	require.Contains(t, dom, `\u202egnp.exe`, "what turns the direction of writing is shown")
	require.Contains(t, dom, `\u001b[2Jcleared`)
	require.Contains(t, dom, "switch connected")
	require.Contains(t, dom, "br0 (LOCAL)")
	require.NotContains(t, dom, "forged</span>", "an event is one event")
}

func TestABrowserComesBackToAStreamThatWasRefused(t *testing.T) {
	site := ending(web.Handler(web.Config{Source: newFake()}))
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/events" && asked.Add(1) == 1 {
			http.Error(w, "too many readers", http.StatusServiceUnavailable)
			return
		}
		site.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	dom := browser(t, "--virtual-time-budget=15000", "--dump-dom", server.URL+"/")
	require.Contains(t, dom, "<time", "events")
	require.Greater(t, asked.Load(), int32(1))
}

// TestScreenshots makes pictures for people, where they are asked for.
func TestScreenshots(t *testing.T) {
	dir := os.Getenv("OFMCAST_SCREENSHOTS")
	if dir == "" {
		t.Skip("OFMCAST_SCREENSHOTS names no directory for pictures")
	}
	for name, args := range map[string][]string{
		"light": {"--window-size=1200,2400"},
		"dark":  {"--window-size=1200,2400", "--force-dark-mode", "--blink-settings=preferredColorScheme=0"},
		"phone": {"--window-size=500,3600"}, // the narrowest window that there is
	} {
		server := siteToLookAt(t)
		browser(t, append(args, "--screenshot="+filepath.Join(dir, name+".png"), server)...)
	}
}
