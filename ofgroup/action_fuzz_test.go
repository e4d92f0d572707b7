package ofgroup_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// FuzzActions takes a list of actions as it stands in a bucket of one version, and holds
// everything that can be done with one to its promises.
func FuzzActions(f *testing.F) {
	for i, v := range vectors(f, "group_mod") {
		if i%3 != 0 || len(v.bytes) > 200 {
			continue
		}
		for b := range decode(f, v.bytes).Group().Buckets() {
			for a := range b.Actions() {
				if list, err := AppendActions(nil, OpenFlow15, a); err == nil {
					f.Add(false, list)
				}
				if list, err := AppendActions(nil, OpenFlow13, a); err == nil {
					f.Add(true, list)
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, old bool, list []byte) {
		if len(list) > 4096 {
			return
		}
		v := OpenFlow15
		if old {
			v = OpenFlow13
		}
		exerciseActions(t, v, list)
	})
}

func exerciseActions(t *testing.T, v Version, list []byte) {
	t.Helper()
	var m Mod
	if err := m.UnmarshalBinary(groupOf(v, list)); err != nil {
		if !errors.Is(err, ErrMalformed) {
			t.Fatalf("%x: %v", list, err)
		}
		return
	}
	actions := actionsOf(m.Group())
	for _, a := range actions {
		if a.Err() != nil || a.String() == "" {
			t.Fatalf("%x: %v", list, a)
		}
		requireReadAgain(t, a)
	}
	// Made of its own actions the bucket is the same, unless one stands where none can.
	b := NewBucket(actions...)
	if New(7, All).AddBuckets(b).Validate() != nil {
		return
	}
	if again, err := AppendActions(nil, v, actions...); err != nil && !errors.Is(err, ErrVersion) || err == nil && v == OpenFlow13 && !bytes.Equal(again, list) {
		t.Fatalf("%x\nbecomes %x, %v", list, again, err)
	}
	for _, to := range bothVersions {
		if n, err := New(7, All).AddBuckets(b).Mod(Add, to); err == nil {
			requireTrueLen(t, n)
		} else if !errors.Is(err, ErrVersion) && !errors.Is(err, ErrTooLarge) {
			t.Fatalf("%x: %v", list, err)
		}
	}
}

// groupOf is a GROUP_MOD of a group whose one bucket has this list of actions.
func groupOf(v Version, list []byte) []byte {
	head := []byte{6, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 255, 255, 255, 255}
	bucket := []byte{0, 0, 0, 0, 0, 0, 0, 0}
	binary.BigEndian.PutUint16(head[16:], uint16(len(bucket)+len(list)))
	binary.BigEndian.PutUint16(bucket[2:], uint16(len(list)))
	if v == OpenFlow13 {
		head = []byte{4, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7}
		bucket = []byte{0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0}
	}
	binary.BigEndian.PutUint16(bucket, uint16(len(bucket)+len(list)))
	binary.BigEndian.PutUint16(head[2:], uint16(len(head)+len(bucket)+len(list)))
	return append(append(head, bucket...), list...)
}

// requireReadAgain holds the readers to giving back what they read.
func requireReadAgain(t *testing.T, a Action) {
	t.Helper()
	want := a.String()
	if c, ok := a.AsCT(); ok && CT(c).String() != want {
		t.Fatalf("%v is read as %+v", a, c)
	}
	if c, ok := a.AsController(); ok && Controller(c).String() != want {
		t.Fatalf("%v is read as %+v", a, c)
	}
	if from, to, ok := a.AsCopy(); ok && Copy(from, to).Err() == nil && Copy(from, to).String() != want {
		t.Fatalf("%v is read as %v to %v", a, from, to)
	}
	if f, value, ok := a.AsSet(); ok && (f.String() == "" || len(value) == 0) {
		t.Fatalf("%v is read as %v", a, f)
	}
	if within, ok := a.AsClone(); ok {
		if c := Clone(within...); c.Err() == nil && c.String() != want {
			t.Fatalf("%v is read as %v", a, within)
		}
	}
}

func requireTrueLen(t *testing.T, m *Mod) {
	t.Helper()
	b, err := m.MarshalBinary()
	if err != nil || len(b) != int(m.Len()) || int(binary.BigEndian.Uint16(b[2:])) != len(b) {
		t.Fatalf("%v has %d bytes and says %d: %v", m, len(b), m.Len(), err)
	}
	var again Mod
	if err := again.UnmarshalBinary(b); err != nil {
		t.Fatalf("%x: %v", b, err)
	}
}
