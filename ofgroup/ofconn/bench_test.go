package ofconn_test

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// benchIDs is how many groups of four buckets the benchmarks modify in turn.
const benchIDs = 1024

// BenchmarkCommitSerial is one caller who waits for each commit.
func BenchmarkCommitSerial(b *testing.B) {
	s := open(b, ovslab.New(b, ovslab.Config{}).Dial)
	groups := benchGroups()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := groups[i%benchIDs].Commit(b.Context(), s); err != nil {
			b.Fatal(err)
		}
	}
	reportRate(b)
}

// BenchmarkCommit64 is 64 callers who each wait for their own commits.
func BenchmarkCommit64(b *testing.B) {
	s := open(b, ovslab.New(b, ovslab.Config{}).Dial)
	groups := benchGroups()
	var next atomic.Int64
	b.ReportAllocs()
	b.SetParallelism(max(1, 64/runtime.GOMAXPROCS(0)))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := groups[next.Add(1)%benchIDs].Commit(b.Context(), s); err != nil {
				b.Error(err)
				return
			}
		}
	})
	reportRate(b)
	b.ReportMetric(float64(s.Stats().Sent)/float64(s.Stats().Barriers), "commits/barrier")
}

// BenchmarkBareBarrierEach is a loop without a library: prepared bytes, one
// write and one read a message. It is what a serial commit can come to.
func BenchmarkBareBarrierEach(b *testing.B) {
	conn := bareConn(b)
	r := bufio.NewReader(conn)
	messages := preparedMessages(b)
	for i := range messages {
		messages[i] = append(messages[i], barrierRequest...)
	}
	for i := 0; b.Loop(); i++ {
		if _, err := conn.Write(messages[i%benchIDs]); err != nil {
			b.Fatal(err)
		}
		awaitBarrier(b, r)
	}
	reportRate(b)
}

// BenchmarkBareWriteLoop writes prepared bytes as fast as the switch takes
// them and asks once, at the end, whether it is through. It is the most that
// any number of callers can come to.
func BenchmarkBareWriteLoop(b *testing.B) {
	conn := bareConn(b)
	messages := preparedMessages(b)
	w := bufio.NewWriterSize(conn, 64<<10)
	b.ResetTimer()
	for i := range b.N {
		if _, err := w.Write(messages[i%benchIDs]); err != nil {
			b.Fatal(err)
		}
	}
	_, _ = w.Write(barrierRequest)
	require.NoError(b, w.Flush())
	awaitBarrier(b, bufio.NewReader(conn))
	reportRate(b)
}

var barrierRequest = []byte{6, typeBarrier, 0, 8, 0, 0, 0, 9}

func reportRate(b *testing.B) {
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}

func benchGroups() []ofgroup.Group {
	groups := make([]ofgroup.Group, benchIDs)
	for i := range groups {
		groups[i] = ports(ofgroup.ID(i), 1, 2, 3, 4)
	}
	return groups
}

func preparedMessages(b *testing.B) [][]byte {
	b.Helper()
	messages := make([][]byte, benchIDs)
	for i, g := range benchGroups() {
		m, err := g.Mod(ofgroup.AddOrMod, ofgroup.OpenFlow15)
		require.NoError(b, err)
		messages[i], err = m.MarshalBinary()
		require.NoError(b, err)
	}
	return messages
}

// bareConn connects and exchanges hellos.
func bareConn(b *testing.B) net.Conn {
	b.Helper()
	conn, err := ovslab.New(b, ovslab.Config{}).Dial(b.Context())
	require.NoError(b, err)
	b.Cleanup(func() { conn.Close() })
	_, err = conn.Write(unhex(ofctlHello15))
	require.NoError(b, err)
	return conn
}

// awaitBarrier reads until a barrier is answered.
func awaitBarrier(b *testing.B, r *bufio.Reader) {
	b.Helper()
	var header [8]byte
	for header[1] != 21 {
		if _, err := io.ReadFull(r, header[:]); err != nil {
			b.Fatal(err)
		}
		if _, err := r.Discard(int(binary.BigEndian.Uint16(header[2:])) - len(header)); err != nil {
			b.Fatal(err)
		}
		if header[1] == 1 {
			b.Fatal("the switch refused a message")
		}
	}
}
