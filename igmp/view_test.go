package igmp

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func scribble(b []byte) {
	for i := range b {
		b[i] ^= 0xff
	}
}

func TestMessagesOwnTheirMemory(t *testing.T) {
	for _, name := range []string{"kernel-v3", "odd"} {
		for i, frame := range packets(t, name) {
			var d Decoder
			v, err := d.Frame(frame.Data)
			if err != nil {
				continue
			}
			want, err := v.Message().MarshalBinary()
			if err != nil {
				require.ErrorIs(t, err, ErrRecordType)
				continue
			}
			payload := slices.Clone(v.Payload())
			parsed, err := Parse(payload)
			require.NoError(t, err)
			viewed := v.Message()
			scribble(payload)
			scribble(frame.Data)
			for _, m := range []Message{parsed, viewed} {
				got, err := m.MarshalBinary()
				require.NoError(t, err)
				require.Equal(t, want, got, "%s: packet %d", name, i+1)
			}
		}
	}
}

func TestCloneOwnsItsMemory(t *testing.T) {
	for _, name := range []string{"kernel-v3", "odd"} {
		for i, frame := range packets(t, name) {
			data := slices.Clone(frame.Data)
			var d, reference Decoder
			v, err := d.Frame(data)
			clone := v.Clone()
			want, wantErr := reference.Frame(frame.Data)
			require.Equal(t, wantErr, err)

			scribble(data)
			_, err = d.Frame(nil)
			require.ErrorIs(t, err, ErrFrameShort)
			require.Equal(t, *want, *clone, "%s: packet %d", name, i+1)
			require.Equal(t, want.Message(), clone.Message())
			require.Equal(t, want.VLANs(), clone.VLANs())
			again, err := d.Frame(frame.Data)
			require.Equal(t, wantErr, err)
			require.Equal(t, *again, *clone, "the Decoder goes on without it")
		}
	}
}

func TestViewAndMessageSayTheSame(t *testing.T) {
	for i, frame := range packets(t, "kernel-v3") {
		var d Decoder
		v, err := d.Frame(frame.Data)
		require.NoError(t, err)
		switch m := v.Message().(type) {
		case *Query:
			require.Equal(t, len(m.Sources), v.NumSources())
			require.Equal(t, m.Sources, slices.Collect(v.Sources()))
			require.Zero(t, v.NumRecords())
			require.Empty(t, slices.Collect(v.Records()))
		case *ReportV3:
			require.Equal(t, len(m.Records), v.NumRecords(), "packet %d", i+1)
			require.Zero(t, v.NumSources())
			require.Empty(t, slices.Collect(v.Sources()))
			records := slices.Collect(v.Records())
			require.Len(t, records, len(m.Records))
			for j, r := range records {
				require.Equal(t, m.Records[j],
					Record{Type: r.Type, AuxWords: r.AuxWords, Group: r.Group, Sources: slices.Collect(r.Sources())})
				require.Equal(t, len(m.Records[j].Sources), r.NumSources())
				require.Equal(t, m.Records[j].Sources, r.AppendSources(nil))
			}
		}
	}
}

func TestIterationCanStopEarly(t *testing.T) {
	var d Decoder
	v, err := d.Frame(packets(t, "odd")[8].Data) // six records of two sources
	require.NoError(t, err)
	n := 0
	for r := range v.Records() {
		for range r.Sources() {
			n++
			break
		}
		if r.Type == ToIn {
			break
		}
	}
	require.Equal(t, 3, n)
}

// Two records of a message must not share room to grow.
func TestRecordsOfAMessageCannotGrowIntoOneAnother(t *testing.T) {
	var d Decoder
	v, err := d.Frame(packets(t, "odd")[8].Data)
	require.NoError(t, err)
	m, want := v.Message().(*ReportV3), v.Message().(*ReportV3)
	for i := range m.Records {
		_ = append(m.Records[i].Sources, addr("192.0.2.1"))
	}
	require.Equal(t, want, m)
}

func TestDecodingAllocatesNothing(t *testing.T) {
	for _, bm := range benchMessages() {
		frame, err := AppendFrame(nil, benchHeader, bm.m)
		require.NoError(t, err)
		var d Decoder
		require.Zero(t, testing.AllocsPerRun(100, func() {
			v, err := d.Frame(frame)
			if err != nil {
				t.Error(err)
			}
			visited = visit(v)
			if v, err = d.Packet(frame[ethHeader:]); err != nil {
				t.Error(err)
			}
			if _, err = d.Payload(v.Payload()); err != nil {
				t.Error(err)
			}
		}), bm.name)
	}
}

func TestRefusingAllocatesNothing(t *testing.T) {
	frames := packets(t, "odd")
	var d Decoder
	refused := 0
	require.Zero(t, testing.AllocsPerRun(10, func() {
		for i := range frames {
			if _, err := d.Frame(frames[i].Data); err != nil {
				refused++
			}
		}
	}))
	require.NotZero(t, refused)
}

func TestEncodingIntoRoomAllocatesNothing(t *testing.T) {
	buf := make([]byte, 0, 1600)
	h := benchHeader
	h.VLANs = []VLAN{{ID: 10}}
	for _, bm := range benchMessages() {
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if _, err := AppendFrame(buf, h, bm.m); err != nil {
				t.Error(err)
			}
			if _, err := bm.m.AppendBinary(buf); err != nil {
				t.Error(err)
			}
		}), bm.name)
	}
}

func TestParsingCostsThreeAllocationsHoweverManyRecords(t *testing.T) {
	for _, bm := range benchMessages() { // the message, its records, all their sources
		payload, err := bm.m.MarshalBinary()
		require.NoError(t, err)
		require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
			if _, err := Parse(payload); err != nil {
				t.Error(err)
			}
		}), 3.0, bm.name)
	}
}
