package ofconn_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// eventually returns once ok is true. It asks on the test's own goroutine.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	const long, now = time.Minute, 5 * time.Millisecond
	for end := time.Now().Add(long); !ok(); time.Sleep(now) {
		if time.Now().After(end) {
			require.FailNow(t, "never came true", what)
		}
	}
}
