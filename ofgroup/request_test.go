package ofgroup_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

func TestRecordedRequestsAreEncodedToTheSameBytes(t *testing.T) {
	want := map[string]Request{
		"of15-request-group-stats-all": {RequestStats, AllGroups},
		"of13-request-group-stats-all": {RequestStats, AllGroups},
		"of13-request-group-stats-7":   {RequestStats, 7},
	}
	for _, v := range vectors(t, "group_stats_request") {
		r, err := ParseRequest(v.bytes)
		require.NoError(t, err, v.Name)
		require.Equal(t, want[v.Name], r)
		again, err := r.AppendMessage(nil, Version(v.bytes[0]))
		require.NoError(t, err)
		binary.BigEndian.PutUint32(again[4:], binary.BigEndian.Uint32(v.bytes[4:]))
		requireBytes(t, v.bytes, again, v.Name)
	}
}

func TestRequestsAsTheStandardHasThem(t *testing.T) {
	for _, c := range []struct {
		r    Request
		v    Version
		hex  string
		text string
	}{
		{Request{RequestStats, 7}, OpenFlow15, "06120018 00000000 0006 0000 00000000 00000007 00000000", "dump-group-stats 7"},
		{Request{RequestDesc, 7}, OpenFlow15, "06120018 00000000 0007 0000 00000000 00000007 00000000", "dump-groups 7"},
		{Request{RequestDesc, AllGroups}, OpenFlow15, "06120018 00000000 0007 0000 00000000 fffffffc 00000000", "dump-groups"},
		{Request{RequestDesc, AllGroups}, OpenFlow13, "04120010 00000000 0007 0000 00000000", "dump-groups"},
		{Request{Kind: RequestFeatures}, OpenFlow13, "04120010 00000000 0008 0000 00000000", "dump-group-features"},
		{Request{Kind: RequestFeatures}, OpenFlow15, "06120010 00000000 0008 0000 00000000", "dump-group-features"},
	} {
		b, err := c.r.AppendMessage([]byte("before"), c.v)
		require.NoError(t, err)
		requireBytes(t, append([]byte("before"), unhex(t, c.hex)...), b, c.text)
		again, err := ParseRequest(b[6:])
		require.NoError(t, err)
		require.Equal(t, c.r, again)
		require.Equal(t, c.text, c.r.String())
	}
}

func TestRequestsThatCannotBeMade(t *testing.T) {
	for _, c := range []struct {
		r    Request
		v    Version
		rule error
	}{
		{Request{RequestDesc, 7}, OpenFlow13, ErrVersion},
		{Request{RequestStats, 7}, 5, ErrVersion},
		{Request{5, 7}, OpenFlow15, ErrMalformed},
		{Request{9, 7}, OpenFlow15, ErrMalformed},
	} {
		b, err := c.r.AppendMessage([]byte("kept"), c.v)
		requireRule(t, err, 7, NoBucket, c.rule)
		require.Equal(t, "kept", string(b))
	}
	require.Equal(t, "RequestKind(0x5)", RequestKind(5).String())
}

func TestRequestsThatLieAreRefused(t *testing.T) {
	for what, data := range map[string]string{
		"empty":                 "",
		"header alone":          "06120008 00000000",
		"another message":       "06130018 00000000 0006 0000 00000000 00000007 00000000",
		"another version":       "05120018 00000000 0006 0000 00000000 00000007 00000000",
		"of ports":              "06120018 00000000 000d 0000 00000000 00000007 00000000",
		"more parts":            "06120018 00000000 0006 0001 00000000 00000007 00000000",
		"length":                "06120010 00000000 0006 0000 00000000 00000007 00000000",
		"no ID":                 "06120010 00000000 0006 0000 00000000",
		"half an ID":            "06120014 00000000 0006 0000 00000000 00000007",
		"no ID in 1.5":          "06120010 00000000 0007 0000 00000000",
		"an ID in 1.3":          "04120018 00000000 0007 0000 00000000 fffffffc 00000000",
		"an ID for features":    "06120018 00000000 0008 0000 00000000 00000007 00000000",
		"bytes behind features": "06120011 00000000 0008 0000 00000000 00",
	} {
		_, err := ParseRequest(unhex(t, data))
		require.ErrorIs(t, err, ErrMalformed, what)
	}
}
