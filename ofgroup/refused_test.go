package ofgroup

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Open vSwitch refuses a vlan_vid without the bit that says there is a VLAN (OFPBAC_BAD_SET_ARGUMENT).
func TestAVLANIsSetWithTheBitThatSaysThereIsOne(t *testing.T) {
	for vid, want := range map[uint16]error{5: ErrValue, 4095: ErrValue, 0x1005: nil, 0x1fff: nil} {
		err := New(1, All).AddBuckets(NewBucket(Set(VLANVID, vid))).Validate()
		require.ErrorIs(t, err, want, "%#x", vid)
	}
}

// ... and a hash of a part of a field that it can only look at whole (OFPBMC_BAD_MASK).
func TestAHashLooksAtPartsOnlyOfFieldsThatHaveThem(t *testing.T) {
	for _, f := range []Field{InPort, EthType, IPProto, IPDSCP, VLANPCP} {
		g := New(1, Select).WithSelection(Hash(f.Bits(0, 1)))
		require.ErrorIs(t, g.Validate(), ErrField, "%v", f)
		require.NoError(t, New(1, Select).WithSelection(Hash(f)).Validate())
	}
	require.NoError(t, New(1, Select).WithSelection(Hash(VLANVID.Bits(0, 11), TCPSrc.Bits(0, 3), Reg(1).Bits(4, 7))).Validate())
}

// What cannot be sent must not print as a line that a tool takes for something else.
func TestAFaultyBucketIsNoLegalLine(t *testing.T) {
	g := New(7, Select).AddBuckets(NewBucket(Set(Reg(99), 1)))
	require.Contains(t, g.String(), "actions=(")
	require.NotContains(t, g.String(), "drop")
}
