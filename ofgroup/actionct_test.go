package ofgroup_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

func fromHex(s string) Action {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return RawAction(b)
}

// lateNAT is what ovs-ofctl sends for ct(commit,zone=3,exec(set_field:1->ct_mark),nat(src=1.2.3.4)).
func lateNAT() Action {
	return fromHex("ffff00400000232000230001000000000003ff0000000000" +
		"001900100001d6040000000100000000" + "ffff00180000232000240000000100010102030400000000")
}

// twoNATs is what it sends for ct(commit,nat(src),nat(src)).
func twoNATs() Action {
	return fromHex("ffff00380000232000230001000000000000ff0000000000" + "ffff0010000023200024000000010000" + "ffff0010000023200024000000010000")
}

func TestANATThatDoesNotComeFirstIsPrintedWhereItIs(t *testing.T) {
	require.Equal(t, "ct(commit,zone=3,exec(set_field:0x1->ct_mark,nat(src=1.2.3.4)))", lateNAT().String())
	require.Equal(t, "ct(commit,nat(src),exec(nat(src)))", twoNATs().String())
}

func TestANATThatDoesNotComeFirstIsReadAndMadeAgain(t *testing.T) {
	for _, a := range []Action{lateNAT(), twoNATs()} {
		c, ok := a.AsCT()
		require.True(t, ok)
		require.Equal(t, encodedAction(t, a), encodedAction(t, CT(c)))
	}
	c, _ := lateNAT().AsCT()
	require.Nil(t, c.NAT)
	require.Len(t, c.Exec, 2)
}
