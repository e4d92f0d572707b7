package ofgroup_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
)

const multipartHeader = 16

func TestRecordedGroupModsAreEncodedToTheSameBytesAgain(t *testing.T) {
	for _, v := range vectors(t, "group_mod") {
		t.Run(v.Name, func(t *testing.T) {
			m := decode(t, v.bytes)
			require.Len(t, v.bytes, int(m.Len()))
			again, err := m.MarshalBinary()
			require.NoError(t, err)
			requireBytes(t, v.bytes, again)
		})
	}
}

func TestRecordedDescriptionsAreEncodedToTheSameBytesAgain(t *testing.T) {
	for _, v := range vectors(t, "group_desc_reply") {
		t.Run(v.Name, func(t *testing.T) {
			version := ofgroup.Version(v.bytes[0])
			groups, err := ofgroup.ParseGroupDesc(version, v.bytes[multipartHeader:])
			require.NoError(t, err)
			var again []byte
			for _, g := range groups {
				again, err = ofgroup.AppendGroupDesc(again, version, g)
				require.NoError(t, err)
			}
			requireBytes(t, v.bytes[multipartHeader:], again)
		})
	}
}

// What a switch describes after a message is the group in the message: the ID, weight and
// order that this package leaves implicit are those that the switch makes of it.
func TestADescriptionEqualsTheGroupThatWasSent(t *testing.T) {
	descs := map[string]vector{}
	for _, v := range vectors(t, "group_desc_reply") {
		descs[v.Name] = v
	}
	compared := 0
	for _, v := range vectors(t, "group_mod") {
		desc, ok := descs[strings.Replace(v.Name, "group-mod", "group-desc", 1)]
		m := decode(t, v.bytes)
		if !ok || !v.Accepted || m.Command() != ofgroup.Add {
			continue
		}
		groups, err := ofgroup.ParseGroupDesc(m.Version(), desc.bytes[multipartHeader:])
		require.NoError(t, err)
		for _, g := range groups {
			if g.ID() == m.Group().ID() {
				require.True(t, g.Equal(m.Group()), "%s\n%v\n%v", v.Name, m.Group(), g)
				compared++
			}
		}
	}
	require.Greater(t, compared, 250)
}
