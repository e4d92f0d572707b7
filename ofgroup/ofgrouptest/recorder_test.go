package ofgrouptest_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

var recorded = ofgroup.New(7, ofgroup.All).AddBuckets(ofgroup.NewBucket(ofgroup.Output(1)))

// failedTest stands in for a test that a Recorder fails.
type failedTest struct{ failures []string }

func (f *failedTest) Helper() {}

func (f *failedTest) Fatalf(format string, args ...any) {
	f.failures = append(f.failures, fmt.Sprintf(format, args...))
}

func TestRecorderRequireOneTellsNoneFromOneFromTwo(t *testing.T) {
	rec := ofgrouptest.NewRecorder(ofgroup.OpenFlow15)
	var f failedTest
	require.Nil(t, rec.RequireOne(&f))
	require.Equal(t, []string{"0 GROUP_MODs were sent, not one:"}, f.failures)

	receipt, err := recorded.Commit(t.Context(), rec)
	require.NoError(t, err)
	require.Equal(t, ofgroup.Receipt{XID: 1, Confirmed: true}, receipt)
	require.True(t, rec.RequireOne(t).Group().Equal(recorded))
	require.Empty(t, rec.Mods(), "RequireOne forgets")

	for range 2 {
		_, err = recorded.Commit(t.Context(), rec)
		require.NoError(t, err)
	}
	f = failedTest{}
	require.Nil(t, rec.RequireOne(&f))
	line := "\n\tadd_or_mod group_id=7,type=all,bucket=actions=output:1"
	require.Equal(t, []string{"2 GROUP_MODs were sent, not one:" + line + line}, f.failures)
}

func TestRecorderKeepsWhatMayHaveReachedASwitch(t *testing.T) {
	rec := ofgrouptest.NewRecorder(ofgroup.OpenFlow13)
	require.Equal(t, ofgroup.OpenFlow13, rec.Version())
	lost := errors.New("lost")
	rec.Fail(lost)
	receipt, err := recorded.Commit(t.Context(), rec)
	require.ErrorIs(t, err, lost)
	require.False(t, receipt.Confirmed)
	require.Len(t, rec.Mods(), 1)

	rec.Reset()
	rec.Fail(ofgroup.NotSent(lost))
	_, err = recorded.Commit(t.Context(), rec)
	require.ErrorIs(t, err, ofgroup.ErrNotSent)
	require.Empty(t, rec.Mods())

	rec.Fail(nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = recorded.Commit(ctx, rec)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, ofgroup.ErrNotSent)
	_, err = rec.Send(t.Context(), new(ofgroup.Mod))
	require.ErrorIs(t, err, ofgroup.ErrNotSent, "no message")
	require.Empty(t, rec.Mods())
}

func TestRecorderCountsFromManyGoroutines(t *testing.T) {
	rec := ofgrouptest.NewRecorder(ofgroup.OpenFlow15)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() { _, _ = recorded.Commit(t.Context(), rec) })
	}
	wg.Wait()
	require.Len(t, rec.Mods(), 50)
	rec.Mods()[0] = nil
	require.NotNil(t, rec.Mods()[0], "a copy is handed out")
}
