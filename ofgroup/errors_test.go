package ofgroup_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

func TestRecordedErrorsAreNamedAsOvsOfctlNamesThem(t *testing.T) {
	for _, v := range vectors(t, "error") {
		e, err := ParseSwitchError(v.bytes)
		require.NoError(t, err, v.Name)
		if e.Experimenter == 0 && e.Type != 0xffff {
			require.Equal(t, v.ErrType, e.Type, v.Name)
			require.Equal(t, v.ErrCode, e.Code, v.Name)
			require.EqualError(t, e, "switch refused it: "+spelled(v.Error), v.Name)
		}
		if v.Request != "" && len(e.Data) > 0 && v.ErrType == 6 {
			require.Equal(t, unhex(t, v.Request), e.Data, "Open vSwitch quotes the whole request: %s", v.Name)
		}
	}
}

func TestRecordedErrorsAreEncodedToTheSameBytes(t *testing.T) {
	for _, v := range vectors(t, "error") {
		e, err := ParseSwitchError(v.bytes)
		require.NoError(t, err, v.Name)
		again, err := e.AppendMessage([]byte("before"), Version(v.bytes[0]))
		require.NoError(t, err, v.Name)
		requireBytes(t, append([]byte("before"), v.bytes...), again, v.Name)
	}
}

func TestTheLongestErrorIsEncodedAndALongerOneRefused(t *testing.T) {
	for _, c := range []struct {
		typ  uint16
		most int
	}{{6, 65535 - 12}, {0xffff, 65535 - 16}} {
		b, err := (&SwitchError{Type: c.typ, Data: make([]byte, c.most)}).AppendMessage(nil, OpenFlow15)
		require.NoError(t, err)
		require.Len(t, b, 65535)
		b, err = (&SwitchError{Type: c.typ, Data: make([]byte, c.most+1)}).AppendMessage([]byte("kept"), OpenFlow15)
		require.ErrorIs(t, err, ErrTooLarge)
		require.Equal(t, "kept", string(b))
	}
}

// spelled is the standard's name for an error that Open vSwitch names otherwise.
func spelled(name string) string {
	if name == "OFPBRC_BAD_STAT" {
		return "OFPBRC_BAD_MULTIPART"
	}
	return name
}

func TestEveryGroupModRefusalHasASentinel(t *testing.T) {
	sentinels := []error{
		ErrGroupExists, ErrInvalidGroup, ErrWeightUnsupported, ErrOutOfGroups, ErrOutOfBuckets,
		ErrChainingUnsupported, ErrWatchUnsupported, ErrLoop, ErrUnknownGroup, ErrChainedGroup, ErrBadType,
		ErrBadCommand, ErrBadBucket, ErrBadWatch, ErrPermission, ErrUnknownBucket, ErrBucketExists,
	}
	for code := range sentinels {
		e := &SwitchError{Type: 6, Code: uint16(code)}
		wrapped := &Error{Op: "commit", ID: 7, Bucket: NoBucket, Err: e}
		for i, s := range sentinels {
			require.Equal(t, i == code, errors.Is(wrapped, s), "code %d, %v", code, s)
		}
		require.Contains(t, e.Error(), sentinels[code].Error())
		require.NotErrorIs(t, &SwitchError{Type: 6, Code: uint16(code), Experimenter: 1}, sentinels[code])
	}
	require.NotErrorIs(t, &SwitchError{Type: 1, Code: 0}, ErrGroupExists)
	require.EqualError(t, &SwitchError{Type: 6, Code: 99}, "switch refused it: OFPET_GROUP_MOD_FAILED code 99")
	require.EqualError(t, &SwitchError{Type: 77, Code: 1}, "switch refused it: error type 77 code 1")
}

func TestRefusalsOfWhatIsInsideHaveSentinels(t *testing.T) {
	for sentinel, name := range map[error]string{
		ErrBadLength: "OFPBRC_BAD_LEN", ErrBadActionType: "OFPBAC_BAD_TYPE", ErrBadOutPort: "OFPBAC_BAD_OUT_PORT",
		ErrBadOutGroup: "OFPBAC_BAD_OUT_GROUP", ErrBadSetArgument: "OFPBAC_BAD_SET_ARGUMENT", ErrBadProperty: "OFPBPC_BAD_VALUE",
	} {
		require.EqualError(t, sentinel, name)
	}
	for sentinel, e := range map[error]SwitchError{
		ErrBadLength: {Type: 1, Code: 6}, ErrBadActionType: {Type: 2, Code: 0}, ErrBadOutPort: {Type: 2, Code: 4},
		ErrBadOutGroup: {Type: 2, Code: 9}, ErrBadSetArgument: {Type: 2, Code: 15}, ErrBadProperty: {Type: 14, Code: 2},
	} {
		require.ErrorIs(t, &e, sentinel)
	}
}

func TestAnExperimentersErrorIsNotTakenForAnother(t *testing.T) {
	e, err := ParseSwitchError(unhex(t, "04010018 00000005 ffff 0006 00002320 0102030405060708"))
	require.NoError(t, err)
	require.Equal(t, &SwitchError{
		Type: 0xffff, Code: 6, Experimenter: 0x2320, XID: 5, Data: []byte{1, 2, 3, 4, 5, 6, 7, 8},
	}, e)
	require.EqualError(t, e, "switch refused it: OFPET_EXPERIMENTER code 6 of experimenter 0x2320")
}

func TestMalformedErrorMessagesAreRefused(t *testing.T) {
	for what, data := range map[string]string{
		"empty":           "",
		"header only":     "06010008 00000001",
		"another message": "060f000c 00000001 0006 0000",
		"cut":             "06010010 00000001 0006 0000",
		"no experimenter": "0601000e 00000001 ffff 0000 0000",
	} {
		_, err := ParseSwitchError(unhex(t, data))
		require.ErrorIs(t, err, ErrMalformed, what)
	}
	data := unhex(t, "06010010 00000001 0006 0000 01020304")
	e, err := ParseSwitchError(data)
	require.NoError(t, err)
	clear(data)
	require.Equal(t, []byte{1, 2, 3, 4}, e.Data, "owns its memory")
}

func TestNotSentMarksAnErrorAndKeepsItsCause(t *testing.T) {
	require.NoError(t, NotSent(nil))
	err := NotSent(context.Canceled)
	require.ErrorIs(t, err, ErrNotSent)
	require.ErrorIs(t, err, context.Canceled)
	require.EqualError(t, err, "context canceled (not sent)")
	require.Equal(t, err, NotSent(err), "marked once")
	require.NotErrorIs(t, io.ErrUnexpectedEOF, ErrNotSent)
}

// A switch may quote little of the message, or nothing.
func TestARefusalThatQuotesLittleIsTold(t *testing.T) {
	for data, quoted := range map[string]int{
		"06010010 00000011 0006 0000 060f0030": 4,
		"0601000c 00000012 0006 0000":          0,
	} {
		e, err := ParseSwitchError(unhex(t, data))
		require.NoError(t, err)
		require.ErrorIs(t, e, ErrGroupExists)
		require.Len(t, e.Data, quoted)
	}
}
