package ofgroup_test

import (
	"testing"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

func FuzzModUnmarshal(f *testing.F) {
	for i, v := range vectors(f, "group_mod") {
		if len(v.bytes) < 300 && i%9 == 0 {
			f.Add(v.bytes)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { exercise(t, data) })
}

func FuzzParseGroupDesc(f *testing.F) {
	for i, v := range vectors(f, "group_desc_reply") {
		if len(v.bytes) < 300 && i%9 == 0 {
			f.Add(v.bytes[0] == byte(OpenFlow15), v.bytes[multipartHeader:])
		}
	}
	f.Fuzz(func(t *testing.T, new bool, body []byte) {
		v := OpenFlow13
		if new {
			v = OpenFlow15
		}
		exerciseDesc(t, v, body)
	})
}
