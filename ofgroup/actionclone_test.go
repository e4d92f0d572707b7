package ofgroup_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// nested is n clones around an action.
func nested(n int, a Action) Action {
	for range n {
		a = Clone(a)
	}
	return a
}

func TestClonesAreNestedOnlySoDeep(t *testing.T) {
	a := nested(16, Set(Reg(0).Bits(0, 3), 1))
	require.NoError(t, a.Err())
	require.NotContains(t, a.String(), "raw:")
	for _, v := range bothVersions {
		data := encode(t, New(1, All).AddBuckets(NewBucket(a)), Add, v)
		require.Equal(t, a.String(), actionsOf(decode(t, data).Group())[0].String())
		requireBytes(t, data, marshal(t, decode(t, data)))
	}
	deeper := Clone(a)
	require.ErrorIs(t, deeper.Err(), ErrAction)
	require.ErrorIs(t, nested(20, Output(1)).Err(), ErrAction)

	// What was read is not forgotten.
	back, ok := RawAction(encodedAction(t, a)).AsClone()
	require.True(t, ok)
	require.NoError(t, Clone(back...).Err())
	require.ErrorIs(t, Clone(RawAction(encodedAction(t, a))).Err(), ErrAction)
}

// Deeper ones, which only decoding can give, cost no more than their bytes.
func TestClonesThatAreTooDeepAreKeptAsBytes(t *testing.T) {
	var list []byte
	for range 2000 {
		list = unhex(t, nicira(42, "000000000000"+hex.EncodeToString(list)))
	}
	a := RawAction(list)
	require.NoError(t, a.Err())
	require.Less(t, len(a.String()), 3*len(list))
	for _, v := range bothVersions {
		b, err := AppendActions(nil, v, a)
		require.NoError(t, err)
		requireBytes(t, list, b)
	}
}

func actionsOf(g Group) []Action {
	var actions []Action
	for b := range g.Buckets() {
		for a := range b.Actions() {
			actions = append(actions, a)
		}
	}
	return actions
}

func TestACloneCarriesTheFaultOfWhatIsWithin(t *testing.T) {
	require.ErrorIs(t, Clone(Output(1), Set(Reg(16), 1)).Err(), ErrField)
	require.ErrorIs(t, Clone(Output(1), Set(CTMark, 1)).Err(), ErrAction)
	require.ErrorIs(t, Clone(Note(make([]byte, MaxNote))).Err(), ErrAction, "too long with its own header")
	require.NoError(t, Clone(CT(CTAction{Commit: true, Exec: []Action{Set(CTMark, 1)}})).Err())
}
