package ofgroup_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

func TestRecordedFeaturesAreReadAsOvsOfctlReadsThemAndEncodedToTheSameBytes(t *testing.T) {
	for _, v := range vectors(t, "group_features_reply") {
		body := v.bytes[multipartHeader:]
		f, err := ParseGroupFeatures(Version(v.bytes[0]), body)
		require.NoError(t, err)
		requireBytes(t, body, AppendGroupFeatures(nil, f), v.Name)

		require.Contains(t, v.Print, fmt.Sprintf("Types:  0x%x\n", f.Types))
		require.Contains(t, v.Print, fmt.Sprintf("Capabilities:  0x%x\n", uint32(f.Capabilities)))
		for _, n := range f.MaxGroups {
			require.Equal(t, 4, strings.Count(v.Print, fmt.Sprintf("max_groups=0x%x\n", n)))
		}
		for _, typ := range []Type{All, Select, Indirect, FastFailover} {
			require.True(t, f.Has(typ))
		}
		require.Equal(t, CanWeigh|CanWatch|CanChain, f.Capabilities)
	}
}

// A switch unlike Open vSwitch, so that no field can stand for another.
func TestEveryFieldOfFeaturesIsRead(t *testing.T) {
	body := unhex(t, "00000005 00000008 00000001 00000002 00000003 00000004 00000011 00000012 00000013 00000014")
	f, err := ParseGroupFeatures(OpenFlow15, body)
	require.NoError(t, err)
	require.Equal(t, GroupFeatures{
		Types: 5, Capabilities: CanRefuseChains,
		MaxGroups: [4]uint32{1, 2, 3, 4}, Actions: [4]uint32{0x11, 0x12, 0x13, 0x14},
	}, f)
	require.True(t, f.Has(All))
	require.False(t, f.Has(Select))
	require.True(t, f.Has(Indirect))
	require.False(t, f.Has(200))
	requireBytes(t, body, AppendGroupFeatures(nil, f))
	require.Equal(t, "types=0x5,capabilities=0x8,all(max_groups=1,actions=0x11),select(max_groups=2,actions=0x12),"+
		"indirect(max_groups=3,actions=0x13),ff(max_groups=4,actions=0x14)", f.String())
}

func TestFeaturesOfAnotherLengthAreRefused(t *testing.T) {
	for _, n := range []int{0, 8, 39, 41, 80} {
		_, err := ParseGroupFeatures(OpenFlow13, make([]byte, n))
		require.ErrorIs(t, err, ErrMalformed)
	}
	_, err := ParseGroupFeatures(1, make([]byte, 40))
	require.ErrorIs(t, err, ErrVersion)
}
