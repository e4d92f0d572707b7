package ofgroup_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

func TestBuildingSendsNothingAndACommitSendsOnce(t *testing.T) {
	for _, v := range bothVersions {
		rec := ofgrouptest.NewRecorder(v)
		g := New(100, All)
		for _, b := range outputs(100) {
			g = g.AddBuckets(b)
		}
		require.NoError(t, g.Validate())
		require.Empty(t, rec.Mods())

		receipt, err := g.Commit(t.Context(), rec)
		require.NoError(t, err)
		require.True(t, receipt.Confirmed)
		m := rec.RequireOne(t)
		require.Equal(t, AddOrMod, m.Command(), "a bare group knows nothing of the past")
		require.True(t, m.Group().Equal(g))
	}
}

// installer is the fault that this package was written against: an object that sends
// itself whenever it grows, because it was installed before.
type installer struct {
	group     Group
	installed bool
	to        Sender
}

func (i *installer) install() {
	_, _ = i.group.Commit(context.Background(), i.to)
	i.installed = true
}

func (i *installer) reset() { i.group = New(i.group.ID(), i.group.Type()) }

func (i *installer) add(b Bucket) {
	i.group = i.group.AddBuckets(b)
	if i.installed {
		i.install()
	}
}

// failure is a test that notes that it failed.
type failure struct{ text string }

func (f *failure) Helper() {}

func (f *failure) Fatalf(format string, _ ...any) { f.text = format }

func TestAnEncoderThatInstallsOnAppendIsCaught(t *testing.T) {
	rec := ofgrouptest.NewRecorder(OpenFlow15)
	faulty := &installer{group: New(10, Select), to: rec}
	faulty.install()
	rec.RequireOne(t)

	faulty.reset() // the Service's endpoints are synced again
	for _, b := range outputs(3) {
		faulty.add(b)
	}
	faulty.install()
	require.Len(t, rec.Mods(), 4, "the storm that agents in the field sent")
	var f failure
	require.Nil(t, rec.RequireOne(&f))
	require.NotEmpty(t, f.text)

	_, err := New(10, Select).AddBuckets(outputs(3)...).Commit(t.Context(), rec)
	require.NoError(t, err)
	rec.RequireOne(t)
}

func TestACommitThatCannotBeSentSendsNothing(t *testing.T) {
	rec := ofgrouptest.NewRecorder(OpenFlow15)
	for _, c := range refused {
		_, err := c.group.Commit(t.Context(), rec)
		require.ErrorIs(t, err, ErrNotSent, c.what)
		require.ErrorIs(t, err, c.rule, c.what)
	}
	_, err := New(1, All).AddBuckets(outputs(2730)...).Commit(t.Context(), rec)
	require.ErrorIs(t, err, ErrTooLarge)
	require.ErrorIs(t, err, ErrNotSent)
	require.Empty(t, rec.Mods())
}

func TestARefusalComesBackFromTheCommitThatDrewIt(t *testing.T) {
	rec := ofgrouptest.NewRecorder(OpenFlow15)
	rec.Fail(&SwitchError{Type: 6, Code: 0, XID: 1, Data: []byte{1}})
	_, err := New(9, All).Commit(t.Context(), rec)
	require.ErrorIs(t, err, ErrGroupExists)
	require.NotErrorIs(t, err, ErrNotSent)
	require.EqualError(t, err, "ofgroup: commit group 9: switch refused it: OFPGMFC_GROUP_EXISTS")
	var refusal *SwitchError
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, []byte{1}, refusal.Data)
}

func TestSendFuncConfirmsNothing(t *testing.T) {
	var got []*Mod
	s := SendFunc(OpenFlow13, func(_ context.Context, m *Mod) error {
		got = append(got, m)
		return nil
	})
	require.Equal(t, OpenFlow13, s.Version())
	receipt, err := New(7, All).AddBuckets(to(1)...).Commit(t.Context(), s)
	require.NoError(t, err)
	require.Equal(t, Receipt{}, receipt)
	require.Len(t, got, 1)
	require.Equal(t, OpenFlow13, got[0].Version())

	lost := errors.New("lost")
	_, err = New(7, All).Commit(t.Context(), SendFunc(OpenFlow15, func(context.Context, *Mod) error { return lost }))
	require.ErrorIs(t, err, lost)
	require.NotErrorIs(t, err, ErrNotSent, "nobody knows")
}

func TestSendFuncDoesNotSendWhenItsContextIsOver(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := SendFunc(OpenFlow15, func(context.Context, *Mod) error {
		t.Error("sent")
		return nil
	})
	_, err := New(7, All).Commit(ctx, s)
	require.ErrorIs(t, err, ErrNotSent)
	require.ErrorIs(t, err, context.Canceled)
}
