package ofconn

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Of each kind of line this many are logged at once, and then one a minute.
const (
	lineBurst = 5
	lineEvery = time.Minute
)

// damper keeps a switch that misbehaves from filling the log. What is over the bound is
// logged at the level Debug, for who looks closely, and counted in the next line of its
// kind.
type damper struct {
	logger *slog.Logger

	mu    sync.Mutex
	kinds map[string]*lines // by the text of the line, of which there are few
}

type lines struct {
	meter   meter
	skipped int
}

func newDamper(l *slog.Logger) *damper { return &damper{logger: l, kinds: map[string]*lines{}} }

// log logs one line, whose text is its kind.
func (d *damper) log(level slog.Level, text string, args ...any) {
	skipped, ok := d.admit(text, time.Now())
	switch {
	case !ok:
		level = slog.LevelDebug
	case skipped > 0:
		args = append(args, "suppressed", skipped)
	}
	d.logger.Log(context.Background(), level, text, args...)
}

// admit reports whether a line may be seen by everybody, and how many were not before it.
func (d *damper) admit(text string, now time.Time) (skipped int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.kinds[text]
	if l == nil {
		l = &lines{meter: meter{every: lineEvery, burst: lineBurst}}
		d.kinds[text] = l
	}
	if !l.meter.take(now) {
		l.skipped++
		return 0, false
	}
	skipped, l.skipped = l.skipped, 0
	return skipped, true
}
