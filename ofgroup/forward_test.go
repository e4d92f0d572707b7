package ofgroup_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

func TestRecordedForwardedRequestsAreEncodedToTheSameBytes(t *testing.T) {
	for _, v := range vectors(t, "requestforward") {
		f, err := ParseRequestForward(v.bytes)
		require.NoError(t, err, v.Name)
		require.NotNil(t, f.Mod, v.Name)
		require.Equal(t, f.Mod.String(), f.String())
		again, err := f.AppendBinary([]byte("before"))
		require.NoError(t, err, v.Name)
		requireBytes(t, append([]byte("before"), v.bytes...), again, v.Name)
	}
}

// The switch tells the type that the group has, which ovs-ofctl had not sent.
func TestAForwardedInsertHasTheTrueTypeOfTheGroup(t *testing.T) {
	for _, v := range vectors(t, "requestforward") {
		if strings.HasSuffix(v.Name, "-insert-bucket") {
			f, err := ParseRequestForward(v.bytes)
			require.NoError(t, err)
			require.Equal(t, InsertBucket, f.Mod.Command())
			require.Equal(t, LastBucket, f.Mod.CommandBucket())
			require.Equal(t, Select, f.Mod.Group().Type())
			return
		}
	}
	require.Fail(t, "not recorded")
}

func TestAForwardedMeterModIsKeptAsItIs(t *testing.T) {
	msg := unhex(t, "06200018 00000009 061d0010 0000000a 0000 0001 00000001")
	f, err := ParseRequestForward(msg)
	require.NoError(t, err)
	require.Equal(t, RequestForward{XID: 9, Request: msg[8:]}, f)
	again, err := f.AppendBinary(nil)
	require.NoError(t, err)
	requireBytes(t, msg, again)
	require.Equal(t, "raw:061d00100000000a0000000100000001", f.String())
	want := f.String()
	clear(msg)
	require.Equal(t, want, f.String(), "it owns its memory")
}

func TestForwardedRequestsThatLieAreRefused(t *testing.T) {
	for what, data := range map[string]string{
		"empty":                  "",
		"nothing in it":          "06200008 00000000",
		"half a header in it":    "0620000c 00000000 061d0010",
		"another message":        "060f0018 00000001 00000000 00000007 00000000 ffffffff",
		"another version":        "04200018 00000009 041d0010 0000000a 0000 0001 00000001",
		"another version in it":  "06200018 00000009 041d0010 0000000a 0000 0001 00000001",
		"shorter than it says":   "06200020 00000009 061d0010 0000000a 0000 0001 00000001",
		"longer than it says":    "06200010 00000009 061d0008 0000000a 0000 0001 00000001",
		"inner one too long":     "06200018 00000009 061d0018 0000000a 0000 0001 00000001",
		"inner one too short":    "06200018 00000009 061d0008 0000000a 0000 0001 00000001",
		"inner length below 8":   "06200010 00000009 061d0007 0000000a",
		"a GROUP_MOD that is no": "06200018 00000009 060f0010 0000000a 0000 0001 00000001",
	} {
		f, err := ParseRequestForward(unhex(t, data))
		require.ErrorIs(t, err, ErrMalformed, what)
		require.Equal(t, RequestForward{}, f, what)
	}
}

func TestAForwardedRequestThatCannotBeSent(t *testing.T) {
	b, err := RequestForward{Request: make([]byte, 65528)}.AppendBinary([]byte("kept"))
	require.ErrorIs(t, err, ErrTooLarge)
	require.Equal(t, "kept", string(b))
	_, err = RequestForward{Request: make([]byte, 65527)}.AppendBinary(nil)
	require.NoError(t, err)
	_, err = RequestForward{Mod: new(Mod)}.AppendBinary(nil)
	require.ErrorIs(t, err, ErrVersion)
}
