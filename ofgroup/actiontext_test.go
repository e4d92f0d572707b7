package ofgroup_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// rawForms are bytes that a printer for their type has no words for: ovs-ofctl would make
// other bytes of them, or refuse them. They print as they are.
func rawForms() map[string]string {
	ct := func(body string) string { return nicira(35, body) }
	return map[string]string{
		"output with dirty padding":            "0000 0010 00000001 0000 000000000001",
		"output with a length for controllers": "0000 0010 00000001 0040 000000000000",
		"reserved port with a length":          "0000 0010 fffffff8 0040 000000000000",
		"output of another length":             "0000 0008 00000001",
		"output to a field, with a length":     nicira(15, "001f 00010004 0040"),
		"output to a field, dirty padding":     nicira(15, "001f 00010004 ffff 000000000001"),
		"output to an unknown field":           nicira(15, "001f 0001fe04 ffff"),
		"output to bits outside a field":       nicira(15, "041f 00010004 ffff"),
		"cut output, too long":                 nicira(39, "0001 00000040 00000000 00000000"),
		"resubmit with dirty padding":          nicira(14, "0001 05 000001"),
		"resubmit that is too long":            nicira(14, "0001 05 000000 00000000 00000000"),
		"push with dirty padding":              "0011 0008 8100 0001",
		"push of MPLS with dirty padding":      "0013 0008 8847 0001",
		"pop with dirty padding":               "0012 0008 00000001",
		"dec_ttl with dirty padding":           "0018 0008 00000001",
		"TTL with dirty padding":               "0017 0008 05000001",
		"MPLS TTL with dirty padding":          "000f 0008 05000001",
		"group that is too long":               "0016 0010 00000007 00000000 00000000",
		"set_field with dirty padding":         "0019 0010 00010004 00001000 00000001",
		"set_field of an unknown field":        "0019 0010 0001fe04 00001000 00000000",
		"set_field of another length":          "0019 0010 00010002 1000 000000000000",
		"set_field with bits outside the mask": "0019 0010 00010108 00000003 00000001",
		"set_field by the older number":        "0019 0010 00000406 0a0000000001 0000",
		"set_field that is cut":                "0019 0008 00010004",
		"copy with dirty padding":              "001c 0018 0020 0000 0000 0001 00010004 00010204 00000000",
		"copy of no bits":                      "001c 0018 0000 0000 0000 0000 00010004 00010204 00000000",
		"copy of bits outside":                 "001c 0018 0021 0000 0000 0000 00010004 00010204 00000000",
		"copy of an unknown field":             "001c 0018 0020 0000 0000 0000 0001fe04 00010204 00000000",
		"copy with a mask":                     "001c 0018 0020 0000 0000 0000 00010108 00010204 00000000",
		"copy, too long":                       "001c 0020 0020 0000 0000 0000 00010004 00010204 00000000 00000000 00000000",
		"dec_ttl to no one":                    nicira(21, "0000 00000000"),
		"dec_ttl to more than there are":       nicira(21, "0005 00000000 0001"),
		"dec_ttl with IDs behind":              nicira(21, "0001 00000000 0001 0002"),
		"dec_ttl with dirty padding in front":  nicira(21, "0001 00000001 0001"),
		"clone with dirty padding":             nicira(42, "000000000001"),
		"clone of no list":                     nicira(42, "000000000000 0018 0009 00000000"),
		"ct_clear with dirty padding":          nicira(43, "000000000001"),
		"pop_queue, too long":                  nicira(5, "000000000000 0000000000000000"),
		"ct with an unknown flag":              ct("0004 00000000 0000 ff 000000 0000"),
		"ct with dirty padding":                ct("0001 00000000 0000 ff 000001 0000"),
		"ct with a zone of an unknown field":   ct("0000 0001fe04 000f ff 000000 0000"),
		"ct with a zone of 15 bits":            ct("0000 00010004 000e ff 000000 0000"),
		"ct with no list":                      ct("0001 00000000 0000 ff 000000 0000 0018 0009 00000000"),
		"ct with an output within":             ct("0001 00000000 0000 ff 000000 0000 0000 0010 00000001 0000 000000000000"),
		"ct with a NAT of both kinds":          ct("0001 00000000 0000 ff 000000 0000 ffff 0010 00002320 0024 0000 0003 0000"),
		"ct with a NAT with an unknown flag":   ct("0001 00000000 0000 ff 000000 0000 ffff 0010 00002320 0024 0000 0021 0000"),
		"ct with a NAT that is cut":            ct("0001 00000000 0000 ff 000000 0000 ffff 0010 00002320 0024 0000 0001 0001"),
		"ct with a NAT with dirty padding":     ct("0001 00000000 0000 ff 000000 0000 ffff 0010 00002320 0024 0001 0001 0000"),
		"NAT by itself":                        nicira(36, "0000 0001 0000"),
		"of a vendor that is not known":        "ffff 0010 00000007 0008 000000000000",
		"without a subtype":                    "ffff 0008 00002320",
		"unknown":                              "0063 0008 00000000",
		"meter to which zeros were added":      "001d 0010 00000001 00000000 00000000",
	}
}

func TestBytesWithoutWordsArePrintedAsTheyAre(t *testing.T) {
	for what, s := range rawForms() {
		a := RawAction(unhex(t, s))
		require.NoError(t, a.Err(), what)
		raw := "raw:" + strings.ReplaceAll(s, " ", "")
		require.Equal(t, raw, a.String(), what)
		require.Equal(t, unhex(t, s), encodedAction(t, a), what)
		if what != "clone of no list" && what != "ct with no list" {
			require.Contains(t, New(1, All).AddBuckets(NewBucket(Clone(a))).String(), "actions=clone("+raw+")", what)
		}
	}
}

// Anything at all decodes in a message, prints and is sent again as it was.
func TestFormsWithoutWordsAreKeptInMessages(t *testing.T) {
	for what, s := range rawForms() {
		m := decode(t, groupAround(unhex(t, s)))
		requireBytes(t, groupAround(unhex(t, s)), marshal(t, m), what)
		require.Contains(t, m.String(), "raw:", what)
	}
}

func TestAnActionWithAFaultSaysSo(t *testing.T) {
	require.Equal(t, "Action(bad action: output to port 0xff00, which cannot be)", Output(0xff00).String())
	require.Equal(t, "drop", Action{}.String())
	require.NoError(t, Action{}.Err())
	require.ErrorIs(t, Output(0xff00).Err(), ErrAction)
}
