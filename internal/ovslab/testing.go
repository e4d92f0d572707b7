package ovslab

import (
	"context"
	"errors"
	"io"
	"os"
)

// TB is what New needs of *testing.T and *testing.B. It stands here so that
// programs that are no tests can use the lab without linking package testing.
type TB interface {
	Helper()
	Context() context.Context
	Skipf(format string, args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
	Cleanup(f func())
}

// New starts a lab that ends with the test. Where Open vSwitch is not
// installed the test is skipped, saying so; with CI=true in the environment
// that is a failure, so that no pipeline is green without a real switch.
func New(tb TB, cfg Config) *Lab {
	tb.Helper()
	lab, err := Start(tb.Context(), cfg)
	skipOrFail(tb, err)
	closeAfter(tb, lab)
	return lab
}

// NewNet is New for a lab with hosts. The test is also skipped where this
// process cannot have network namespaces; with CI=true that is a failure too.
func NewNet(tb TB, cfg NetConfig) *NetLab {
	tb.Helper()
	lab, err := StartNet(tb.Context(), cfg)
	skipOrFail(tb, err)
	closeAfter(tb, lab)
	return lab
}

func closeAfter(tb TB, lab io.Closer) {
	tb.Cleanup(func() {
		if err := lab.Close(); err != nil {
			tb.Errorf("ovslab: %v", err)
		}
	})
}

// skipOrFail ends the test if Start or StartNet failed.
func skipOrFail(tb TB, err error) {
	tb.Helper()
	if (errors.Is(err, ErrNotInstalled) || errors.Is(err, ErrNoNamespaces)) && os.Getenv("CI") != "true" {
		tb.Skipf("%v", err)
	}
	if err != nil {
		tb.Fatalf("%v", err)
	}
}
