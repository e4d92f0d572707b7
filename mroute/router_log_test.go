package mroute

import (
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What the comment of RouterConfig.Logger names is told, and what is as ever is not.
func TestLoggerHearsOfMovesLossesAndFailures(t *testing.T) {
	var heard strings.Builder
	b := newBench(t, RouterConfig{Logger: slog.New(slog.NewTextHandler(&heard, nil))})
	b.out[documented.Group] = []Out{{Interface: "out0"}}
	b.stream(0, 10*time.Second)
	require.Empty(t, heard.String())

	b.stream(1, 4*time.Second)
	require.Contains(t, heard.String(), `level=INFO msg="a stream has moved" route="(198.51.100.1, 233.252.0.1)" from=in0 to=in1`)
	heard.Reset()
	delete(b.kernel.routes, documented)
	b.pass(10 * time.Second)
	require.Contains(t, heard.String(), `level=INFO msg="the kernel had lost a multicast route"`)
	heard.Reset()
	delete(b.kernel.routes, documented)
	b.kernel.fail["addMFC"] = syscall.ENOMEM
	b.pass(10 * time.Second)
	require.Contains(t, heard.String(), `level=WARN msg="multicast route"`)
	require.Contains(t, heard.String(), "err=")
}
