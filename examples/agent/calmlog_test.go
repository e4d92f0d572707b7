package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
)

func TestWhatIsSaidOverAndOverIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		log := calm(slog.New(slog.NewTextHandler(&said, nil))).With("a", 1).WithGroup("g")
		for range 100 {
			log.Warn("query not sent", "err", errors.New("no room"), "stack", "")
		}
		log.Error("another", "stack", "panic")
		log.Info("info")
		require.Equal(t, dampBurst+2, strings.Count(said.String(), "\n"), "%s", &said)
		require.NotContains(t, said.String(), `""`)
		require.Contains(t, said.String(), `msg=another a=1 g.stack=panic`)
		said.Reset()
		time.Sleep(calmEvery)
		log.Warn("query not sent", "err", "x")
		require.Contains(t, said.String(), "suppressed=97")
	})
}

func TestWhatFailsForWantOfASwitchIsForWhoLooksClosely(t *testing.T) {
	err := fmt.Errorf("query: %w", ofgroup.ErrDisconnected)
	for level, lines := range map[slog.Level]int{slog.LevelInfo: 0, slog.LevelDebug: 9} {
		var said bytes.Buffer
		log := calm(slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: level})))
		for range 9 {
			log.Warn("query not sent", "err", err, "stack", "")
		}
		require.Equal(t, lines, strings.Count(said.String(), "\n"))
		require.Equal(t, lines, strings.Count(said.String(), "level=DEBUG"))
	}
}
