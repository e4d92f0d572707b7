package ofgrouptest

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// copyField is a copy_field action in hex: bits, offsets, and the two OXM headers
// with whatever follows them.
func copyField(bits, from, to int, oxms string) string {
	n := (12 + len(oxms)/2 + 7) &^ 7
	a := fmt.Sprintf("001c%04x%04x%04x%04x0000", n, bits, from, to) + oxms
	return a + strings.Repeat("0", 2*n-len(a))
}

// groupOf is the body of a GROUP_MOD that gives group 1 one bucket with an action.
func groupOf(action string) string {
	n := len(action) / 2
	return fmt.Sprintf("80000000"+"00000001"+"%04x0000"+"ffffffff"+"%04x%04x00000000", n+8, n+8, n) + action
}

func header(f field, masked bool) string {
	return hex.EncodeToString(be.AppendUint32(nil, uint32(f.header(masked))))
}

func TestCopyFieldIsJudgedAsByARealSwitch(t *testing.T) {
	const reg0, reg1 = "00010004", "00010204"
	real, double := realAndDouble(t)
	var bodies []string
	try := func(bits, from, to int, oxms string) {
		bodies = append(bodies, groupOf(copyField(bits, from, to, oxms)))
	}
	for _, f := range sortedFields() {
		for _, masked := range []bool{false, true} {
			h := header(f, masked)
			try(1, 0, 0, reg0+h)
			try(1, 0, 0, h+reg0)
		}
		for _, n := range []int{f.bits - 1, f.bits, f.bits + 1, 8 * f.size} {
			if n >= 0 && n <= 64 {
				try(n, 0, 0, "80010208"+header(f, false))
				try(n, 0, 0, header(f, false)+"80010208")
			}
		}
		longer := f.header(false) + 1
		try(1, 0, 0, reg0+fmt.Sprintf("%08x", uint32(longer)))
	}
	for _, c := range [][3]int{{0, 0, 0}, {1, 31, 31}, {1, 32, 0}, {1, 0, 32}, {32, 0, 0}, {33, 0, 0}, {16, 17, 0}, {16, 0, 17}, {0xffff, 1, 1}} {
		try(c[0], c[1], c[2], reg0+reg1)
	}
	for _, oxms := range []string{
		"", reg0, reg0 + "80ff0004", "80ff0004" + reg0, "00020004" + reg0, reg0 + reg1 + "00000000000000000000",
		reg0 + reg0, "ffff0004" + reg0, reg0 + "ffff0008" + "4f4e4600",
	} {
		try(1, 0, 0, oxms)
	}
	reserved := copyField(1, 0, 0, reg0+reg1)
	bodies = append(bodies, groupOf(reserved[:20]+"0001"+reserved[24:]))
	require.Empty(t, cmp.Diff(real.verdictsOn(openflow.TypeGroupMod, bodies), double.verdictsOn(openflow.TypeGroupMod, bodies)))
}

// Open vSwitch refuses it, too, with an experimenter's error (NXBRC_MUST_BE_ZERO).
func TestCopyFieldWithSomethingBehindItsFieldsIsRefused(t *testing.T) {
	c := dial(t, newSwitch(t))
	for _, behind := range []string{"01", "0000000000000000000001"} {
		body := groupOf(copyField(1, 0, 0, "00010004"+"00010204"+behind))
		require.Equal(t, badActionArgument.refusal(), c.verdict(message(openflow.Version15, openflow.TypeGroupMod, 0, unhex(t, body))))
	}
}
