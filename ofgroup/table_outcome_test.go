package ofgroup_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// How each way a commit can end moves each state, and which command comes next.
func TestOutcomesMoveTheState(t *testing.T) {
	lost := errors.New("no answer in time")
	for _, test := range []struct {
		name  string
		r     ofgroup.Receipt
		err   error
		state func(before ofgroup.State) ofgroup.State
	}{
		{"confirmed", confirmed, nil, always(ofgroup.Held)},
		{"written only", ofgroup.Receipt{}, nil, always(ofgroup.Assumed)},
		{"not sent", ofgroup.Receipt{}, ofgroup.NotSent(context.Canceled), unchanged},
		{"cancelled after the write", ofgroup.Receipt{}, context.Canceled, always(ofgroup.Unknown)},
		{"lost", ofgroup.Receipt{}, lost, always(ofgroup.Unknown)},
		{"disconnected after the write", ofgroup.Receipt{}, ofgroup.ErrDisconnected, always(ofgroup.Unknown)},
		{"disconnected before the write", ofgroup.Receipt{}, ofgroup.NotSent(ofgroup.ErrDisconnected), always(ofgroup.Unknown)},
		{"group exists", ofgroup.Receipt{}, refusedWith(0), always(ofgroup.Unknown)},
		{"invalid group", ofgroup.Receipt{}, refusedWith(1), unchanged},
		{"out of groups", ofgroup.Receipt{}, refusedWith(3), unchanged},
		{"out of buckets", ofgroup.Receipt{}, refusedWith(4), unchanged},
		{"unknown group", ofgroup.Receipt{}, refusedWith(8), always(ofgroup.Absent)},
		{"bad bucket", ofgroup.Receipt{}, refusedWith(12), always(ofgroup.Unknown)},
		{"no permission", ofgroup.Receipt{}, refusedWith(14), unchanged},
		{"unknown bucket", ofgroup.Receipt{}, refusedWith(15), always(ofgroup.Unknown)},
		{"bucket exists", ofgroup.Receipt{}, refusedWith(16), always(ofgroup.Unknown)},
		{"bad action", ofgroup.Receipt{}, &ofgroup.SwitchError{Type: 2, Code: 4}, unchanged},
		{"wrapped refusal", ofgroup.Receipt{}, fmt.Errorf("host: %w", refusedWith(8)), always(ofgroup.Absent)},
	} {
		for _, before := range []ofgroup.State{ofgroup.Unknown, ofgroup.Absent, ofgroup.Held, ofgroup.Assumed} {
			t.Run(test.name+" when "+before.String(), func(t *testing.T) {
				table, sender := tableIn(t, before)
				sender.then(test.r, test.err)
				_, err := table.Commit(t.Context(), toPorts(7, ofgroup.All, 1, 2))
				require.ErrorIs(t, err, test.err)
				after := test.state(before)
				requireState(t, after, table, 7)

				sender.then(confirmed, nil)
				_, err = table.Commit(t.Context(), toPorts(7, ofgroup.All, 1, 2))
				require.NoError(t, err)
				m, _ := sender.last()
				require.Equal(t, nextCommand[after], m.Command())
			})
		}
	}
}

var nextCommand = map[ofgroup.State]ofgroup.Command{
	ofgroup.Unknown: ofgroup.AddOrMod, ofgroup.Assumed: ofgroup.AddOrMod,
	ofgroup.Absent: ofgroup.Add, ofgroup.Held: ofgroup.Modify,
}

func TestStatesHaveNames(t *testing.T) {
	for s, name := range map[ofgroup.State]string{
		ofgroup.Unknown: "unknown", ofgroup.Absent: "absent", ofgroup.Held: "held", ofgroup.Assumed: "assumed",
		7: "State(0x7)",
	} {
		require.Equal(t, name, s.String())
	}
}

func always(s ofgroup.State) func(ofgroup.State) ofgroup.State {
	return func(ofgroup.State) ofgroup.State { return s }
}

func unchanged(s ofgroup.State) ofgroup.State { return s }

// tableIn is a table that is in the given state for group 7.
func tableIn(tb testing.TB, s ofgroup.State) (*ofgroup.Table, *scripted) {
	tb.Helper()
	sender := ending(confirmed, nil)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
	g := toPorts(7, ofgroup.All, 1)
	switch s {
	case ofgroup.Assumed:
		sender.then(ofgroup.Receipt{}, nil)
		fallthrough
	case ofgroup.Held:
		_, err := table.Commit(tb.Context(), g)
		require.NoError(tb, err)
	case ofgroup.Absent:
		require.NoError(tb, table.Delete(tb.Context(), 7))
	}
	requireState(tb, s, table, 7)
	return table, sender
}

func TestACommitThatTimedOutButWasAppliedConvergesOnTheNextTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw, session := switchAndSession(t)
		table := ofgroup.NewTable(session, ofgroup.TableConfig{
			IDs: ofgroup.NewIDAllocator(9, 20), Timeout: time.Second,
		})
		require.NoError(t, table.Delete(t.Context(), 9)) // so that the commit is a plain Add
		sw.Inject(ofgrouptest.Fault{On: ofgrouptest.MsgBarrierRequest, Delay: 3 * time.Second})
		g := toPorts(9, ofgroup.All, 1)
		_, err := table.Commit(t.Context(), g)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, ofgroup.ErrNotSent)
		requireState(t, ofgroup.Unknown, table, 9)
		require.Equal(t, ofgroup.Add, received(t, sw)[1].Command())
		time.Sleep(5 * time.Second)

		id, err := table.Allocate()
		require.NoError(t, err)
		require.NotEqual(t, ofgroup.ID(9), id, "in doubt is not free")
		_, err = table.Commit(t.Context(), g)
		require.NoError(t, err)
		require.Equal(t, ofgroup.AddOrMod, received(t, sw)[2].Command())
		requireHolds(t, sw, g)
		id, err = table.Allocate()
		require.NoError(t, err)
		require.NotEqual(t, ofgroup.ID(9), id, "held is not free")
	})
}

func TestADeleteInDoubtFreesNoID(t *testing.T) {
	sender := ending(confirmed, nil)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ofgroup.NewIDAllocator(1, 2)})
	id, err := table.Allocate()
	require.NoError(t, err)
	_, err = table.Commit(t.Context(), toPorts(id, ofgroup.All, 1))
	require.NoError(t, err)
	for _, e := range []error{errors.New("lost"), refusedWith(14), ofgroup.NotSent(errors.New("busy"))} {
		sender.then(ofgroup.Receipt{}, e)
		require.ErrorIs(t, table.Delete(t.Context(), id), e)
	}
	_, err = table.Allocate()
	require.NoError(t, err)
	_, err = table.Allocate()
	require.ErrorIs(t, err, ofgroup.ErrNoFreeID)
	sender.then(ofgroup.Receipt{}, refusedWith(8))
	require.NoError(t, table.Delete(t.Context(), id), "not there is what was asked for")
	again, err := table.Allocate()
	require.NoError(t, err)
	require.Equal(t, id, again)
}

func TestAFailedDeleteKeepsTheGroupForTheNextConnection(t *testing.T) {
	sw, first := switchAndSession(t)
	sender := &changing{session: first}
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
	g := toPorts(4, ofgroup.All, 1, 2, 3)
	_, err := table.Commit(t.Context(), g)
	require.NoError(t, err)
	require.NoError(t, first.Close())
	require.ErrorIs(t, table.Delete(t.Context(), 4), ofgroup.ErrDisconnected)
	known, state := table.Lookup(4)
	require.Equal(t, ofgroup.Unknown, state)
	require.True(t, known.Equal(g), "the cached group is not the delete message")

	require.NoError(t, sw.Preload(ofgroup.DeleteAll(ofgroup.OpenFlow15))) // the switch restarted
	sender.session = connect(t, sw)
	replayed := 0
	for g := range table.Groups() {
		_, err := table.Commit(t.Context(), g)
		require.NoError(t, err)
		replayed++
	}
	require.Equal(t, 1, replayed)
	requireHolds(t, sw, g)
}

// changing is a Sender whose connection is replaced.
type changing struct{ session ofgroup.Sender }

func (c *changing) Version() ofgroup.Version { return c.session.Version() }

func (c *changing) Send(ctx context.Context, m *ofgroup.Mod) (ofgroup.Receipt, error) {
	return c.session.Send(ctx, m)
}

func TestADisconnectMakesEveryGroupUnknown(t *testing.T) {
	for name, cut := range map[string]func(*ofgroup.Table, *scripted){
		"seen in an error": func(table *ofgroup.Table, s *scripted) {
			s.then(ofgroup.Receipt{}, ofgroup.NotSent(ofgroup.ErrDisconnected))
			_, _ = table.Commit(context.Background(), toPorts(1, ofgroup.All, 9))
			s.then(confirmed, nil)
		},
		"told": func(table *ofgroup.Table, _ *scripted) { table.Invalidate() },
	} {
		t.Run(name, func(t *testing.T) {
			sender := ending(confirmed, nil)
			table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
			g := toPorts(2, ofgroup.All, 1)
			for _, g := range []ofgroup.Group{toPorts(1, ofgroup.All, 1), g} {
				_, err := table.Commit(t.Context(), g)
				require.NoError(t, err)
			}
			cut(table, sender)
			requireState(t, ofgroup.Unknown, table, 2)
			known, _ := table.Lookup(2)
			require.True(t, known.Equal(g))
			sent, err := table.Sync(t.Context(), g)
			require.NoError(t, err)
			require.True(t, sent, "equal to what may be gone is not enough")
			m, _ := sender.last()
			require.Equal(t, ofgroup.AddOrMod, m.Command())
			requireState(t, ofgroup.Held, table, 2)
		})
	}
}

// A confirmation that arrives after a disconnect was noticed speaks of the old connection.
func TestAConfirmationFromBeforeADisconnectIsVoid(t *testing.T) {
	sender := ending(confirmed, nil)
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{})
	sender.answer = func(context.Context, *ofgroup.Mod) (ofgroup.Receipt, error) {
		table.Invalidate()
		return confirmed, nil
	}
	_, err := table.Commit(t.Context(), toPorts(7, ofgroup.All, 1))
	require.NoError(t, err)
	requireState(t, ofgroup.Unknown, table, 7)
}

func TestBehindASendFuncGroupsAreAssumedAndDeletedIDsStayTaken(t *testing.T) {
	var sent []ofgroup.Command
	sender := ofgroup.SendFunc(ofgroup.OpenFlow15, func(_ context.Context, m *ofgroup.Mod) error {
		sent = append(sent, m.Command())
		return nil
	})
	table := ofgroup.NewTable(sender, ofgroup.TableConfig{IDs: ofgroup.NewIDAllocator(1, 1)})
	id, err := table.Allocate()
	require.NoError(t, err)
	g := toPorts(id, ofgroup.All, 1)
	for range 2 {
		_, err = table.Sync(t.Context(), g)
		require.NoError(t, err)
	}
	requireState(t, ofgroup.Assumed, table, id)
	require.NoError(t, table.Delete(t.Context(), id))
	requireState(t, ofgroup.Unknown, table, id)
	require.Equal(t, []ofgroup.Command{ofgroup.AddOrMod, ofgroup.Delete}, sent)
	_, err = table.Allocate()
	require.ErrorIs(t, err, ofgroup.ErrNoFreeID)
	table.Forget(id)
	again, err := table.Allocate()
	require.NoError(t, err)
	require.Equal(t, id, again)
	requireState(t, ofgroup.Unknown, table, id)
}
