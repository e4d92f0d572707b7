package igmp

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// canonical removes what decoding keeps and encoding does not: auxiliary data lengths, and records of unknown type.
func canonical(m Message) Message {
	if r, ok := m.(*ReportV3); ok {
		for i := range r.Records {
			r.Records[i].AuxWords = 0
		}
		r.Records = slices.DeleteFunc(r.Records, func(r Record) bool { return !r.Type.Known() })
		if len(r.Records) == 0 {
			r.Records = nil
		}
	}
	return m
}

// checkMessage asks of every decoded message what must always hold.
func checkMessage(t *testing.T, m Message) {
	t.Helper()
	first, err := m.MarshalBinary()
	if errors.Is(err, ErrRecordType) {
		m = canonical(m)
		first, err = m.MarshalBinary()
	}
	require.NoError(t, err)
	require.Len(t, first, int(m.Len()))
	again, err := Parse(first)
	require.NoError(t, err)
	require.Equal(t, canonical(m), again)
	second, err := again.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, first, second)
}

// parseWithin is Parse, and bounds what it allocates by what it reads: a count on the wire never sizes anything by
// itself. A byte of a record or of a source makes at most eight of ours.
func parseWithin(t *testing.T, b []byte) (Message, error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := Parse(b)
	runtime.ReadMemStats(&after)
	const others = 8 << 10 // what else the process does meanwhile
	require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(8*len(b)+others))
	return m, err
}

func FuzzParse(f *testing.F) {
	for _, c := range payloads {
		f.Add(unhex(f, c.bytes))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		before := slices.Clone(b)
		m, err := parseWithin(t, b)
		var d Decoder
		v, viewErr := d.Payload(b)
		visited = visit(v)
		require.Equal(t, before, b, "decoding reads only")
		if err != nil {
			require.ErrorIs(t, err, viewErr)
			var e *Error
			require.ErrorAs(t, err, &e)
			// With the checksum made right the fuzzer gets past it.
			if errors.Is(err, ErrChecksum) {
				right := slices.Clone(b)
				right[offChecksum], right[offChecksum+1] = 0, 0
				setChecksum(right, offChecksum)
				if m, err = parseWithin(t, right); err == nil {
					checkMessage(t, m)
				}
			}
			return
		}
		require.NoError(t, viewErr)
		require.Equal(t, m, v.Message())
		checkMessage(t, m)
	})
}

func FuzzFrame(f *testing.F) {
	for _, name := range []string{"odd", "kernel-v1"} {
		for _, frame := range packets(f, name) {
			f.Add(frame.Data)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var d Decoder
		v, err := d.Frame(b)
		visited = visit(v)
		clone := v.Clone()
		require.Equal(t, *v, *clone)
		if err != nil {
			return
		}
		require.Equal(t, LayerIGMP, v.Layer)
		require.LessOrEqual(t, len(v.Payload()), len(b))
		m := v.Message()
		parsed, err := Parse(v.Payload())
		require.NoError(t, err)
		require.Equal(t, parsed, m)
		checkMessage(t, m)
		checkFrame(t, v, canonical(m))
	})
}

// checkFrame sends the message on with the frame's own header and reads it back.
func checkFrame(t *testing.T, v *View, m Message) {
	t.Helper()
	h := hostHeader(v)
	frame, err := AppendFrame(nil, h, m)
	if errors.Is(err, ErrMAC) || errors.Is(err, ErrDestination) || errors.Is(err, ErrTooLong) {
		return // a header that is not sent from here
	}
	require.NoError(t, err)
	var d Decoder
	back, err := d.Frame(frame)
	require.NoError(t, err)
	require.Equal(t, m, canonical(back.Message()))
	require.True(t, back.RouterAlert)
	got := hostHeader(back)
	if h.TTL == 0 {
		h.TTL = defaultTTL
	}
	if h.TOS == 0 {
		h.TOS = defaultTOS
	}
	if h.EthDst == (MAC{}) {
		h.EthDst = got.EthDst
	}
	require.Equal(t, h, got)
}

func FuzzCodes(f *testing.F) {
	f.Add(int64(0))
	f.Add(int64(maxRespV2))
	f.Add(int64(codeMax * tenth))
	f.Fuzz(func(t *testing.T, n int64) {
		if c, err := MaxRespCode(time.Duration(n)); err == nil {
			require.LessOrEqual(t, c.MaxResp(), time.Duration(n))
			again, err := MaxRespCode(c.MaxResp())
			require.NoError(t, err)
			require.Equal(t, c, again)
		}
		if c, err := QQICode(time.Duration(n)); err == nil {
			require.GreaterOrEqual(t, c.QQI(), time.Duration(n))
			again, err := QQICode(c.QQI())
			require.NoError(t, err)
			require.Equal(t, c, again)
		}
	})
}
