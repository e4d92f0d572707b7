package ofgroup_test

import "testing"

func FuzzParseSwitchError(f *testing.F) {
	for i, v := range vectors(f, "error") {
		if len(v.bytes) < 300 && i%9 == 0 {
			f.Add(v.bytes)
		}
	}
	f.Add(unhex(f, "0601000c 00000012 0006 0000")) // nothing is quoted
	f.Fuzz(func(t *testing.T, data []byte) { exerciseError(t, data) })
}
