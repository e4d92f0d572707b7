package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// state answers with the whole state.
func (s *site) state(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	state, err := s.cfg.Source.State(ctx)
	if err != nil {
		busy(w)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	// What cannot be written any more is the reader's loss.
	_ = json.NewEncoder(w).Encode(state)
}

// health says whether the agent works. It is for whoever restarts agents that do not: a switch that is
// away is no reason for that.
func (s *site) health(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	state, err := s.cfg.Source.State(ctx)
	if err != nil {
		busy(w)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	word := "connected"
	if !state.Switch.Connected {
		word = "away"
	}
	fmt.Fprintf(w, "ok\nswitch %s\n", word)
}
