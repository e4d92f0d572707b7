package ofgroup_test

import (
	"encoding/binary"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// exercise decodes data as a GROUP_MOD and holds what comes of it to the promises: the
// message is refused as malformed, or it is sent again as it was, but for the padding of
// its header.
func exercise(tb testing.TB, data []byte) {
	tb.Helper()
	var m Mod
	if err := m.UnmarshalBinary(data); err != nil {
		if !errors.Is(err, ErrMalformed) || m.Len() != 0 {
			tb.Fatalf("%x: %v", data, err)
		}
		return
	}
	if int(m.Len()) != len(data) || m.String() == "" {
		tb.Fatalf("%x: Len %d", data, m.Len())
	}
	again, err := m.MarshalBinary()
	if errors.Is(err, ErrEmptyInsert) {
		return
	}
	want := append([]byte(nil), data...)
	want[11] = 0
	if m.Version() == OpenFlow15 {
		want[18], want[19] = 0, 0
	} else {
		want = zeroPads13(want)
	}
	if err != nil || string(want) != string(again) {
		tb.Fatalf("%x\nbecomes %x, %v", data, again, err)
	}
}

// zeroPads13 clears the padding of the buckets.
func zeroPads13(msg []byte) []byte {
	for b := msg[16:]; len(b) > 0; b = b[binary.BigEndian.Uint16(b):] {
		clear(b[12:16])
	}
	return msg
}

func exerciseDesc(tb testing.TB, v Version, body []byte) {
	tb.Helper()
	groups, err := ParseGroupDesc(v, body)
	if err != nil {
		if !errors.Is(err, ErrMalformed) || groups != nil {
			tb.Fatalf("%x: %v", body, err)
		}
		return
	}
	var again []byte
	for _, g := range groups {
		if g.String() == "" {
			tb.Fatalf("%x", body)
		}
		if again, err = AppendGroupDesc(again, v, g); err != nil {
			tb.Fatalf("%x: %v", body, err)
		}
	}
	if len(again) != len(body) {
		tb.Fatalf("%x\nbecomes %x", body, again)
	}
}

func TestLengthsThatLieAreRefused(t *testing.T) {
	for what, data := range map[string]string{
		"empty":                    "",
		"no header":                "060f0018000000",
		"another message":          "060e0018 00000001 00000000 00000007 00000000 ffffffff",
		"another version":          "050f0018 00000001 00000000 00000007 00000000 ffffffff",
		"length below the header":  "060f0007 00000001 00000000 00000007 00000000 ffffffff",
		"length below the message": "060f0010 00000001 00000000 00000007",
		"bytes behind the message": "060f0018 00000001 00000000 00000007 00000000 ffffffff 00",
		"buckets beyond the end":   "060f0018 00000001 00000000 00000007 00080000 ffffffff",
		"bucket of length 0":       "060f0020 00000001 00000000 00000007 00080000 ffffffff 0000000000000000",
		"bucket of length 4":       "060f0020 00000001 00000000 00000007 00080000 ffffffff 0004000000000000",
		"bucket of odd length":     "060f0028 00000001 00000000 00000007 00100000 ffffffff 000c000000000000 0000000000000000",
		"bucket beyond the end":    "060f0020 00000001 00000000 00000007 00080000 ffffffff 0010000000000000",
		"actions beyond bucket":    "060f0020 00000001 00000000 00000007 00080000 ffffffff 0008000800000000",
		"action of length 0":       "060f0028 00000001 00000000 00000007 00100000 ffffffff 0010000800000000 0018000000000000",
		"action beyond bucket":     "060f0028 00000001 00000000 00000007 00100000 ffffffff 0010000800000000 0018001000000000",
		"action of odd length":     "060f0030 00000001 00000000 00000007 00180000 ffffffff 0018001000000000 0018000c00000000 0000000000000000",
		"property of length 0":     "060f0028 00000001 00000100 00000007 00100000 ffffffff 0010000000000000 0000000000010000",
		"property too short":       "060f0028 00000001 00000100 00000007 00100000 ffffffff 0010000000000000 0000000600010000",
		"property beyond bucket":   "060f0028 00000001 00000100 00000007 00100000 ffffffff 0010000000000000 0000000900010000",
		"group property too long":  "060f0020 00000001 00000100 00000007 00000000 ffffffff ffff001000000000",
		"group property cut":       "060f001a 00000001 00000100 00000007 00000000 ffffffff ffff",
		"1.3: bucket of length 0":  "040f0020 00000001 00000000 00000007 0000000000000000 0000000000000000",
		"1.3: bucket of length 8":  "040f0020 00000001 00000000 00000007 0008000000000000 0008000000000000",
		"1.3: bucket cut":          "040f0018 00000001 00000000 00000007 0010000000000000",
	} {
		var m Mod
		err := m.UnmarshalBinary(unhex(t, data))
		require.ErrorIs(t, err, ErrMalformed, what)
		require.Zero(t, m.Len(), what)
	}
	for what, body := range map[string]string{
		"header cut":             "00100100000000",
		"entry of length 0":      "00000100000000c80000000000000000",
		"entry beyond the end":   "00180100000000c80000000000000000",
		"buckets beyond the end": "00100100000000c80008000000000000",
		"bucket of length 0":     "00180100000000c80008000000000000 0000000000000000",
	} {
		_, err := ParseGroupDesc(OpenFlow15, unhex(t, body))
		require.ErrorIs(t, err, ErrMalformed, what)
	}
	_, err := ParseGroupDesc(3, nil)
	require.ErrorIs(t, err, ErrVersion)
}

func TestAFaultInTheMiddleNamesTheBucket(t *testing.T) {
	data := recorded(t, OpenFlow15, "add-ff-3-buckets")
	data[24+32+32+8+2] = 0xff // an action's length in the third bucket
	var m Mod
	err := m.UnmarshalBinary(data)
	requireRule(t, err, 300, 2, ErrMalformed)
	require.EqualError(t, err, "ofgroup: decode group 300: bucket 2: malformed: action length")
}

func TestUnknownPropertiesAreKeptByteForByte(t *testing.T) {
	for what, props := range map[string]string{
		"unknown alone":            "0055 0008 01020304",
		"unknown with padding":     "0055 0006 0102 0000",
		"unknown, odd padding":     "0055 0005 01ffffff",
		"experimenter":             "ffff 000c 0000154d 01020304 00000000",
		"watch before weight":      "0001 0008 00000001 0000 0008 0002 0000",
		"weight twice":             "0000 0008 0001 0000 0000 0008 0002 0000",
		"dirty padding of weight":  "0000 0008 0001 00ff",
		"known, unknown and known": "0000 0008 0009 0000 0055 0008 01020304 0001 0008 00000004",
		"no weight in select":      "",
	} {
		t.Run(what, func(t *testing.T) {
			p := unhex(t, props)
			n := len(p)
			data := append([]byte{
				6, 15, 0, byte(32 + n), 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 7, 0, byte(8 + n), 0, 0, 255, 255, 255, 255,
				0, byte(8 + n), 0, 0, 0, 0, 0, 0,
			}, p...)
			m := decode(t, data)
			requireBytes(t, data, marshal(t, m))
			// Changing a known value keeps the unknown property, behind the known ones.
			b := m.Group().Bucket(0).WithWeight(77)
			w, _ := b.Weight()
			require.Equal(t, uint16(77), w)
			changed := encode(t, New(7, Select).AddBuckets(b), Add, OpenFlow15)
			require.True(t, decode(t, changed).Group().Equal(New(7, Select).AddBuckets(b)))
			require.Contains(t, string(changed), string([]byte{0, 0, 0, 8, 0, 77, 0, 0}))
			if what == "known, unknown and known" {
				requireBytes(t, unhex(t, "0000 0008 004d 0000 0001 0008 00000004 0055 0008 01020304"), changed[32:])
			}
		})
	}
}

func TestDecodingTakesMemoryInProportionToItsInput(t *testing.T) {
	// The smallest buckets make the most of a message.
	data := make([]byte, 65528)
	copy(data, unhex(t, "060ffff8 00000000 00000000 00000007 ffe0 0000 ffffffff"))
	for i := 24; i < len(data); i += 8 {
		data[i+1] = 8
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := decode(t, data)
	runtime.ReadMemStats(&after)
	require.Equal(t, 8188, m.Group().Len())
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}
