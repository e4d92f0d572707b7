package ofconn_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// logbook keeps the lines of a logger.
type logbook struct {
	mu    sync.Mutex
	lines []string
}

func (b *logbook) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, string(p))
	return len(p), nil
}

// with are the lines that contain a text.
func (b *logbook) with(text string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var some []string
	for _, l := range b.lines {
		if strings.Contains(l, text) {
			some = append(some, l)
		}
	}
	return some
}

func (b *logbook) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: level}))
}

// An hour without a switch is thousands of tries, but not as many lines.
func TestASwitchThatIsAwayDoesNotFillTheLog(t *testing.T) {
	for level, most := range map[slog.Level]int{slog.LevelInfo: 61, slog.LevelDebug: 10_000} {
		synctest.Test(t, func(t *testing.T) {
			book := &logbook{}
			away := errors.New("away")
			conn := ofconn.New(ofconn.Config{
				Dial:   func(context.Context) (net.Conn, error) { return nil, away },
				Logger: book.logger(level),
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			require.NoError(t, conn.Run(ctx))
			tries := conn.Stats().Attempts
			require.Greater(t, tries, uint64(3600))
			lines := book.with("tried again")
			require.LessOrEqual(t, len(lines), most)
			require.GreaterOrEqual(t, len(lines), min(most, int(tries))-5)
			require.Contains(t, lines[0], "level=WARN")
			require.Contains(t, lines[0], "away")
			require.Contains(t, lines[0], "tries=1 ")
		})
	}
}

// A switch that greets everybody and throws them out changes its state all the time.
func TestAConnectionThatComesAndGoesDoesNotFillTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		book := &logbook{}
		sw := newFront(t)
		conn := ofconn.New(ofconn.Config{Dial: sw.Dial, Logger: book.logger(slog.LevelInfo)})
		running(t, conn)
		const minutes = 20
		for start := time.Now(); time.Since(start) < minutes*time.Minute; {
			old := live(t, conn)
			sw.Disconnect()
			again(t, conn, old)
		}
		require.Greater(t, sw.dials(), 1000)
		for _, text := range []string{"openflow connected", "openflow session ended", "tried again"} {
			lines := book.with(text)
			require.LessOrEqual(t, len(lines), minutes+5+1, text)
			require.GreaterOrEqual(t, len(lines), minutes, text)
			require.Contains(t, lines[len(lines)-1], "suppressed=", "what was left out is counted")
		}
		time.Sleep(10 * time.Minute) // and once it is quiet everything is told again
		before := len(book.with("openflow connected"))
		old := live(t, conn)
		sw.Disconnect()
		again(t, conn, old)
		require.Len(t, book.with("openflow connected"), before+1)
	})
}

func TestErrorsThatNobodyWaitsForAndPanicsDoNotFillTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		book := &logbook{}
		events := ofconn.Events{PacketIn: func(*ofconn.PacketIn, time.Time) { panic("on every packet") }}
		sw := newFront(t)
		conn := ofconn.New(ofconn.Config{Dial: sw.Dial, Events: events, Logger: book.logger(slog.LevelInfo)})
		running(t, conn)
		const many = 500
		for range many {
			sw.Send(unhex("0601000c0000009900060000"))
			sw.Send(numbered(1, 0))
		}
		synctest.Wait()
		require.EqualValues(t, many, conn.EventStats().Panics)
		require.Len(t, book.with("nobody waits for"), 5)
		require.Len(t, book.with("panicked"), 5)
	})
}
