package mroute

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// wishes is a Policy that the test changes: where each group leaves.
type wishes struct {
	mu  sync.Mutex
	out map[string][]Out
}

func (w *wishes) set(group string, interfaces ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.out == nil {
		w.out = make(map[string][]Out)
	}
	w.out[group] = nil
	for _, name := range interfaces {
		w.out[group] = append(w.out[group], Out{Interface: name})
	}
}

func (w *wishes) policy(f Flow) Decision {
	w.mu.Lock()
	defer w.mu.Unlock()
	return Decision{Out: w.out[f.Group.String()]}
}

// run starts a Router on the Socket of the default table, until the test's end.
func run(t testing.TB, s *Socket, cfg RouterConfig) *Router {
	t.Helper()
	r := runNow(t, s, cfg)
	// The first thing that Run does is to give the inputs their VIFs.
	until(t, func() bool {
		for _, name := range cfg.Inputs {
			if !contains(t, "ip_mr_vif", name) {
				return false
			}
		}
		return true
	})
	return r
}

func runNow(t testing.TB, s *Socket, cfg RouterConfig) *Router {
	t.Helper()
	r, err := NewRouter(s, cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- r.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, os.ErrClosed) {
			require.NoError(t, err)
		}
	})
	return r
}

func contains(t testing.TB, table, name string) bool {
	return slices.Contains(strings.Fields(kernelTable(t, table)), name)
}

// until calls f on the test's own thread until it is true.
func until(t testing.TB, f func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !f(); time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), "it does not come")
	}
}

func status(t *testing.T, r *Router) Status {
	t.Helper()
	s, err := r.Status(t.Context())
	require.NoError(t, err)
	return s
}

// entries waits until the Router has n entries, and returns them.
func entries(t *testing.T, r *Router, n int) []Entry {
	t.Helper()
	until(t, func() bool {
		have := 0
		require.NoError(t, r.do(t.Context(), func(c *core, _ time.Time) { have = len(c.flows) }))
		return have == n
	})
	return status(t, r).Entries
}
