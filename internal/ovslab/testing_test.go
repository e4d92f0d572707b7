package ovslab

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// verdict is a TB that remembers how the test ended.
type verdict struct {
	skipped, failed string
}

func (*verdict) Helper()                          {}
func (*verdict) Context() context.Context         { return context.Background() }
func (*verdict) Cleanup(func())                   {}
func (v *verdict) Errorf(format string, a ...any) { v.failed = fmt.Sprintf(format, a...) }
func (v *verdict) Skipf(format string, a ...any) {
	v.skipped = fmt.Sprintf(format, a...)
	runtime.Goexit()
}
func (v *verdict) Fatalf(format string, a ...any) {
	v.failed = fmt.Sprintf(format, a...)
	runtime.Goexit()
}

// outcome is what skipOrFail makes of an error of Start.
func outcome(err error) verdict {
	var v verdict
	done := make(chan struct{})
	go func() {
		defer close(done)
		skipOrFail(&v, err)
	}()
	<-done
	return v
}

func TestWithoutOpenVSwitchATestSkipsAndSaysSo(t *testing.T) {
	t.Setenv("CI", "")
	v := outcome(fmt.Errorf("ovslab: %w: no ovs-vswitchd", ErrNotInstalled))
	require.Contains(t, v.skipped, "this machine has no Open vSwitch")
	require.Empty(t, v.failed)
}

func TestWithoutNamespacesATestSkipsAndAPipelineFails(t *testing.T) {
	err := fmt.Errorf("ovslab: %w: not root", ErrNoNamespaces)
	t.Setenv("CI", "")
	require.Contains(t, outcome(err).skipped, "not root")
	t.Setenv("CI", "true")
	require.Contains(t, outcome(err).failed, "not root")
}

func TestWithoutOpenVSwitchAPipelineFails(t *testing.T) {
	t.Setenv("CI", "true")
	v := outcome(fmt.Errorf("ovslab: %w: no ovs-vswitchd", ErrNotInstalled))
	require.Contains(t, v.failed, "this machine has no Open vSwitch")
	require.Empty(t, v.skipped)
}

func TestAnyOtherFailureToStartIsAFailure(t *testing.T) {
	t.Setenv("CI", "")
	v := outcome(os.ErrPermission)
	require.NotEmpty(t, v.failed)
	require.Empty(t, v.skipped)
}
