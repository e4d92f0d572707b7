package main

import (
	"fmt"
	"io"
	"log/slog"
)

func newLogger(o options, w io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: slog.LevelInfo}
	if o.verbose {
		opts.Level = slog.LevelDebug
	}
	if o.logJSON {
		opts.ReplaceAttr = asText
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// asText has JSON say what the text would: a value's words, and not what is inside it, which may be
// nothing, or a number that means something to the program alone.
func asText(_ []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindDuration:
		a.Value = slog.StringValue(a.Value.Duration().String())
	case slog.KindAny:
		switch v := a.Value.Any().(type) {
		case slog.Level, error: // which are told well
		case fmt.Stringer:
			a.Value = slog.StringValue(v.String())
		}
	}
	return a
}
