// Package web serves what an agent shows of itself: a page to look at, its JSON, its events as they
// happen, and metrics. It is read-only: no request changes anything but counters of requests.
package web

import (
	"context"
	"net/http"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/view"
)

// Source is what there is to show; a view.Collector is one.
type Source interface {
	State(ctx context.Context) (view.State, error)
	// Events returns those behind a sequence number and what is closed when there are more.
	Events(after uint64) ([]view.Event, <-chan struct{})
}

// Config says what is served. Only Source is needed.
type Config struct {
	Source Source
	// Metrics answers /metrics; nil: not found.
	Metrics http.Handler
	// Pprof serves /debug/pprof. Profiles cost time, so it is off by default.
	Pprof bool
	// Names are host names that requests may ask for. Addresses and localhost always may; any other
	// name is refused, because a page elsewhere could have its own name lead here (DNS rebinding).
	Names []string
	// Heartbeat is how often something is written on an idle stream of events; default 15 s.
	Heartbeat time.Duration
}

// Handler returns the site:
//
//	/             the page
//	/api/state    view.State in JSON
//	/events       view.Events as server-sent events; their ids are sequence numbers
//	/metrics      for Prometheus
//	/healthz      200 while the agent works, whether the switch is there or not
//	/debug/pprof  see Config.Pprof
func Handler(cfg Config) http.Handler {
	if cfg.Heartbeat <= 0 {
		cfg.Heartbeat = 15 * time.Second
	}
	s := &site{cfg: cfg, streams: make(chan struct{}, maxStreams)}
	mux := http.NewServeMux()
	for path, f := range pages() {
		mux.Handle(path, prompt(f))
	}
	mux.Handle("/api/state", bounded(maxStates, prompt(http.HandlerFunc(s.state))))
	mux.HandleFunc("/events", s.events)
	if cfg.Metrics != nil {
		mux.Handle("/metrics", prompt(cfg.Metrics))
	}
	if cfg.Pprof {
		profiles(mux)
	}
	// Whoever restarts agents asks for their health: it must not depend on how many others ask for what.
	all := http.NewServeMux()
	all.Handle("/healthz", prompt(http.HandlerFunc(s.health)))
	all.Handle("/", bounded(maxRequests, mux))
	return readOnly(knownHost(cfg.Names, secured(all)))
}

// site answers requests.
type site struct {
	cfg     Config
	streams chan struct{} // holds a token a stream
}

// patience is how long an answer may take to be made.
const patience = 10 * time.Second
