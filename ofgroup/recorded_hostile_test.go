package ofgroup_test

import (
	"encoding/binary"
	"errors"
	"flag"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
	. "github.com/ofmcast/ofmcast/ofgroup"
)

var everyByte = flag.Bool("every", false, "also change every byte of the long recorded messages, which takes very long")

// decoders are all that read bytes from a switch. Each holds what it makes of a whole
// message, of whatever kind, to its promises: it is refused as malformed, or encoded again
// as it was.
var decoders = map[string]struct {
	decode   func(msg []byte)
	exercise func(tb testing.TB, msg []byte)
}{
	"mod":             {func(msg []byte) { _ = new(Mod).UnmarshalBinary(msg) }, exercise},
	"error":           {func(msg []byte) { _, _ = ParseSwitchError(msg) }, exerciseError},
	"request":         {func(msg []byte) { _, _ = ParseRequest(msg) }, exerciseRequest},
	"forward":         {func(msg []byte) { _, _ = ParseRequestForward(msg) }, exerciseForward},
	"features":        {func(msg []byte) { _, _ = ParseGroupFeatures(versionOf(msg), bodyOf(msg)) }, exerciseFeatures},
	"statistics":      {func(msg []byte) { _, _ = ParseGroupStats(versionOf(msg), bodyOf(msg)) }, exerciseStats},
	"description 1.3": {func(msg []byte) { _, _ = ParseGroupDesc(OpenFlow13, bodyOf(msg)) }, exerciseDesc13},
	"description 1.5": {func(msg []byte) { _, _ = ParseGroupDesc(OpenFlow15, bodyOf(msg)) }, exerciseDesc15},
	"bundle":          {decodeBundle, func(_ testing.TB, msg []byte) { decodeBundle(msg) }},
}

// What a decoder may allocate: so much for a byte of its input, and so much for an error.
const (
	memoryPerByte  = 8
	memoryPerError = 1024
)

func TestEveryPrefixOfAnythingRecordedIsRefusedOrIsAMessageItself(t *testing.T) {
	for k, v := range everything(t) {
		var cuts [][]byte
		for n := k % stride(v); n < len(v.bytes); n += stride(v) {
			cuts = append(cuts, v.bytes[:n])
			if n >= openflow.HeaderLen { // it cuts through what is inside when the header agrees to it
				cut := append([]byte(nil), v.bytes[:n]...)
				binary.BigEndian.PutUint16(cut[2:], uint16(n))
				cuts = append(cuts, cut)
			}
		}
		tryAll(t, v.Name, cuts)
		for n := range v.bytes { // nor is one taken for the whole
			if new(Mod).UnmarshalBinary(v.bytes[:n]) == nil {
				require.Fail(t, "a part is a message", "%s %d", v.Name, n)
			}
		}
	}
}

func TestEveryChangedByteOfAnythingRecordedIsRefusedOrKept(t *testing.T) {
	flips := []byte{0x01, 0x08, 0x80, 0xff}
	for k, v := range everything(t) {
		var changed [][]byte
		for i := k % stride(v); i < len(v.bytes); i += stride(v) {
			data := append([]byte(nil), v.bytes...)
			data[i] ^= flips[(i+k)%len(flips)]
			if changed = append(changed, data); len(changed)*len(data) > 1<<20 {
				tryAll(t, v.Name, changed)
				changed = nil
			}
		}
		tryAll(t, v.Name, changed)
	}
}

func everything(tb testing.TB) []vector {
	tb.Helper()
	all, err := readVectors()
	require.NoError(tb, err)
	require.Len(tb, all, 1097)
	return all
}

// stride leaves out most positions of the few dozen messages that repeat themselves, and
// some where the race detector makes each several times dearer.
func stride(v vector) int {
	switch {
	case *everyByte:
		return 1
	case len(v.bytes) < 6000 && !raceDetector:
		return 1
	case len(v.bytes) < 6000:
		return 5
	case !raceDetector:
		return len(v.bytes)/60 | 1
	default:
		return len(v.bytes)/10 | 1
	}
}

// tryAll gives the inputs to every decoder, first to see what memory it takes.
func tryAll(tb testing.TB, what string, inputs [][]byte) {
	tb.Helper()
	bound := uint64(0)
	for _, msg := range inputs {
		bound += uint64(memoryPerByte*len(msg) + memoryPerError)
	}
	for name, d := range decoders {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, msg := range inputs {
			d.decode(msg)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > bound {
			tb.Fatalf("%s: %s of %d inputs took %d bytes, more than %d", what, name, len(inputs), took, bound)
		}
		for _, msg := range inputs {
			d.exercise(tb, msg)
		}
	}
}

func bodyOf(msg []byte) []byte { return msg[min(multipartHeader, len(msg)):] }

// versionOf is that of the message, or some version where it is a wrong one.
func versionOf(msg []byte) Version {
	if len(msg) > 0 && msg[0] == byte(OpenFlow13) {
		return OpenFlow13
	}
	return OpenFlow15
}

func decodeBundle(msg []byte) {
	_, _ = openflow.ParseBundleControl(msg)
	_, _ = openflow.ParseBundleAdd(msg)
}

func exerciseDesc13(tb testing.TB, msg []byte) { exerciseDesc(tb, OpenFlow13, bodyOf(msg)) }
func exerciseDesc15(tb testing.TB, msg []byte) { exerciseDesc(tb, OpenFlow15, bodyOf(msg)) }

// exerciseStats allows for padding, which becomes zeros.
func exerciseStats(tb testing.TB, msg []byte) {
	v, body := versionOf(msg), bodyOf(msg)
	stats, err := ParseGroupStats(v, body)
	if malformed(tb, msg, err) {
		return
	}
	want, again := append([]byte(nil), body...), []byte(nil)
	for _, s := range stats {
		clear(want[len(again)+2 : len(again)+4])
		clear(want[len(again)+12 : len(again)+16])
		if again, err = AppendGroupStats(again, v, s); err != nil || s.String() == "" {
			tb.Fatalf("%x: %v", msg, err)
		}
	}
	same(tb, want, again)
}

func exerciseFeatures(tb testing.TB, msg []byte) {
	f, err := ParseGroupFeatures(versionOf(msg), bodyOf(msg))
	if !malformed(tb, msg, err) {
		same(tb, bodyOf(msg), AppendGroupFeatures(nil, f))
	}
}

func exerciseForward(tb testing.TB, msg []byte) {
	f, err := ParseRequestForward(msg)
	if malformed(tb, msg, err) {
		return
	}
	again, err := f.AppendBinary(nil)
	if errors.Is(err, ErrEmptyInsert) {
		return
	}
	if err != nil || len(again) != len(msg) || f.String() == "" {
		tb.Fatalf("%x\nbecomes %x, %v", msg, again, err)
	}
	if f.Mod != nil {
		exercise(tb, msg[openflow.HeaderLen:])
	}
}

func exerciseRequest(tb testing.TB, msg []byte) {
	r, err := ParseRequest(msg)
	if malformed(tb, msg, err) {
		return
	}
	again, err := r.AppendMessage(nil, Version(msg[0]))
	if err != nil || r.String() == "" {
		tb.Fatalf("%x: %v", msg, err)
	}
	want := append([]byte(nil), msg...)
	clear(want[4:8]) // it is numbered when it is sent
	clear(want[12:16])
	clear(want[min(20, len(want)):])
	same(tb, want, again)
}

func exerciseError(tb testing.TB, msg []byte) {
	e, err := ParseSwitchError(msg)
	if malformed(tb, msg, err) {
		return
	}
	again, err := e.AppendMessage(nil, Version(msg[0]))
	if err != nil || e.Error() == "" {
		tb.Fatalf("%x: %v", msg, err)
	}
	same(tb, msg, again)
}

func malformed(tb testing.TB, msg []byte, err error) bool {
	if err != nil && !errors.Is(err, ErrMalformed) {
		tb.Fatalf("%x: %v", msg, err)
	}
	return err != nil
}

func same(tb testing.TB, want, got []byte) {
	if string(want) != string(got) {
		tb.Fatalf("%x\nbecomes %x", want, got)
	}
}
