package ofgroup_test

import (
	"bytes"
	"errors"
	"testing"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

func FuzzParseSwitchError(f *testing.F) {
	for i, v := range vectors(f, "error") {
		if len(v.bytes) < 300 && i%9 == 0 {
			f.Add(v.bytes)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := ParseSwitchError(data)
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Fatal(err)
			}
			return
		}
		if e.Error() == "" || !bytes.HasSuffix(data, e.Data) {
			t.Fatalf("%x is read as %+v", data, e)
		}
	})
}
