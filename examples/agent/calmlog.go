package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// calm is a logger for what packets, or a switch that refuses everything, can have said any number of
// times: of each text some lines, and then one in calmEvery, with how many there were between. What fails
// because the switch is away is for who looks closely: that it is away has been said.
func calm(log *slog.Logger) *slog.Logger {
	return slog.New(calmHandler{log.Handler(), &calmTexts{of: make(map[string]*calmText)}})
}

const calmEvery = 10 * time.Second

type calmHandler struct {
	slog.Handler
	texts *calmTexts
}

// calmTexts is what was said. Texts are the program's own, so there are few.
type calmTexts struct {
	mu sync.Mutex
	of map[string]*calmText
}

type calmText struct {
	pace    damp
	skipped int
}

// take says whether a text may be said, and how often it was not.
func (c *calmTexts) take(text string, now time.Time) (skipped int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.of[text]
	if t == nil {
		t = &calmText{pace: damp{every: calmEvery}}
		c.of[text] = t
	}
	if ok, _ := t.pace.take(now); !ok {
		t.skipped++
		return 0, false
	}
	skipped, t.skipped = t.skipped, 0
	return skipped, true
}

// Handle implements slog.Handler. Attributes that say nothing are left out.
func (h calmHandler) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		if err, ok := a.Value.Any().(error); ok && errors.Is(err, ofgroup.ErrDisconnected) {
			out.Level = slog.LevelDebug
		}
		if !a.Value.Equal(slog.StringValue("")) {
			out.AddAttrs(a)
		}
		return true
	})
	if out.Level >= slog.LevelWarn {
		skipped, ok := h.texts.take(out.Message, r.Time)
		if !ok {
			out.Level = slog.LevelDebug
		} else if skipped > 0 {
			out.Add("suppressed", skipped)
		}
	}
	if !h.Enabled(ctx, out.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, out)
}

// WithAttrs implements slog.Handler.
func (h calmHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return calmHandler{h.Handler.WithAttrs(attrs), h.texts}
}

// WithGroup implements slog.Handler.
func (h calmHandler) WithGroup(name string) slog.Handler {
	return calmHandler{h.Handler.WithGroup(name), h.texts}
}
