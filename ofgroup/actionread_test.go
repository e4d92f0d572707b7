package ofgroup_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// readers read an action and make it again from what they read.
var readers = map[string]func(Action) (Action, bool){
	"output": func(a Action) (Action, bool) {
		p, ok := a.AsOutput()
		return Output(p), ok
	},
	"group": func(a Action) (Action, bool) {
		id, ok := a.AsOutputGroup()
		return OutputGroup(id), ok
	},
	"resubmit": func(a Action) (Action, bool) {
		table, p, ok := a.AsResubmit()
		return ResubmitPort(p, table), ok
	},
	"controller": func(a Action) (Action, bool) {
		c, ok := a.AsController()
		return Controller(c), ok
	},
	"set": func(a Action) (Action, bool) {
		f, v, ok := a.AsSet()
		var wide [16]byte
		copy(wide[16-len(v):], v)
		if ok && len(v) == 16 {
			return Set(f, netip.AddrFrom16(wide)), true
		}
		n := uint64(0)
		for _, c := range v {
			n = n<<8 | uint64(c)
		}
		return Set(f, n), ok
	},
	"copy": func(a Action) (Action, bool) {
		from, to, ok := a.AsCopy()
		return Copy(from, to), ok
	},
	"ct": func(a Action) (Action, bool) {
		c, ok := a.AsCT()
		return CT(c), ok
	},
	"clone": func(a Action) (Action, bool) {
		actions, ok := a.AsClone()
		return Clone(actions...), ok
	},
}

// readOf is who reads an action, and whether it is the same when made again.
func readOf(tb testing.TB, a Action) (by []string) {
	tb.Helper()
	for name, read := range readers {
		again, ok := read(a)
		if !ok {
			continue
		}
		by = append(by, name)
		odd := map[string]bool{
			"output":   a.String()[0] == 'C', // a controller's, of which the port is read alone
			"resubmit": a.String()[len(a.String())-2] == 't',
			"set":      again.Err() != nil, // all bits of more than a number, or bits of 128
		}[name]
		if !odd {
			require.Equal(tb, a.String(), again.String(), name)
			require.Equal(tb, encodedAction(tb, a), encodedAction(tb, again), name)
		}
	}
	return by
}

func encodedAction(tb testing.TB, a Action) []byte {
	tb.Helper()
	b, err := AppendActions(nil, OpenFlow15, a)
	require.NoError(tb, err, "%v", a)
	return b
}

func TestActionsAreReadByTheirOwnReadersAndMadeAgain(t *testing.T) {
	actions := append(fieldActions(), moreActions...)
	for _, list := range recordedActions {
		actions = append(actions, list...)
	}
	for _, a := range recordedSets {
		actions = append(actions, a)
	}
	seen := map[string]int{}
	for _, a := range actions {
		by := readOf(t, a)
		for _, name := range by {
			seen[name]++
		}
		if _, controller := a.AsController(); !controller {
			require.LessOrEqual(t, len(by), 1, "%v", a)
		}
	}
	for name := range readers {
		require.NotZero(t, seen[name], name)
	}
}

func TestNothingIsReadFromWhatIsNoAction(t *testing.T) {
	for what, a := range map[string]Action{
		"nothing": {}, "fault": Output(PortAny), "other": DecTTL(), "unknown": RawAction(unhex(t, "0063 0008 00000000")),
	} {
		for name, read := range readers {
			_, ok := read(a)
			require.False(t, ok, "%s as %s", what, name)
		}
	}
}

// What is read tells the same of an action that came from a switch.
func TestADecodedBucketTellsItsActions(t *testing.T) {
	made := NewBucket(
		Set(TunDst, addr("192.0.2.1")), Set(Reg(3).Bits(4, 11), 0xab), Set(XXReg(1), addr("2001:db8::1")),
		CT(CTAction{Commit: true, Zone: 3, Exec: []Action{Set(CTMark, 7)}}), Clone(Output(5)), Output(6))
	for _, v := range bothVersions {
		b := decode(t, encode(t, New(1, All).AddBuckets(made), Add, v)).Group().Bucket(0)
		var got []Action
		for a := range b.Actions() {
			got = append(got, a)
		}
		f, value, ok := got[0].AsSet()
		require.Equal(t, []any{TunDst, []byte{192, 0, 2, 1}, true}, []any{f, value, ok})
		f, value, ok = got[1].AsSet()
		require.Equal(t, []any{Reg(3).Bits(4, 11), []byte{0, 0, 0, 0xab}, true}, []any{f, value, ok})
		c, ok := got[3].AsCT()
		require.True(t, ok)
		require.Equal(t, CTAction{Commit: true, Zone: 3, Exec: []Action{Set(CTMark, 7)}}, c)
		within, ok := got[4].AsClone()
		require.True(t, ok)
		require.Equal(t, []Action{Output(5)}, within)
		p, ok := got[5].AsOutput()
		require.True(t, ok)
		require.Equal(t, Port(6), p)
		require.Equal(t, made, NewBucket(got...), "actions go back into a bucket")
	}
}
