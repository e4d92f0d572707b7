package modeltest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// How the sinks are called. Chance is left out.
var (
	plain = mcast.SinkConfig{MinInterval: -1, MinRetry: time.Second, MaxRetry: time.Second, Timeout: -1, Jitter: exactly}
	paced = mcast.SinkConfig{
		MinInterval: 700 * time.Millisecond, MinRetry: time.Second, MaxRetry: 3 * time.Second,
		PruneDelay: 1500 * time.Millisecond, Timeout: -1, Jitter: exactly,
	}
	flaky = mcast.SinkConfig{
		MinInterval: 300 * time.Millisecond, MinRetry: time.Second, MaxRetry: 5 * time.Second, Timeout: -1, Jitter: exactly,
	}
)

func exactly(d time.Duration) time.Duration { return d }

var errFlaky = errors.New("sink fails")

// sink is a sink that knows what it must be told and when.
type sink struct {
	r      *rig
	number int // in rig.sinks
	cfg    mcast.SinkConfig
	handle *mcast.Handle[string]

	told     map[mcast.Group]*told
	awaiting map[mcast.Group]bool // to be handed over before Prune
	round    int
	prune    bool // is still to be called
	pruneAt  when
	pruneErr int // failures in a row

	failing   int // so many calls fail, -1 is all
	takes     time.Duration
	meanwhile action // happens during the next call
}

// told is what the sink was handed of a group.
type told struct {
	ok       bool // with success at least once
	rows     []row
	dirty    bool // may hold anything: it failed
	busy     bool // a call is under way
	failures int
	at       when // no call before
}

// add adds a sink to the cache.
func (r *rig) add(cfg mcast.SinkConfig) *sink {
	s := &sink{r: r, number: len(r.sinks), cfg: cfg, told: map[mcast.Group]*told{}}
	var err error
	if s.handle, err = r.c.AddSink(fmt.Sprint("sink", s.number), s, cfg); err != nil {
		r.fail("%w", err)
	}
	s.startRound()
	s.pruneAt = r.now + cfg.PruneDelay
	r.sinks = append(r.sinks, s)
	return s
}

func (s *sink) startRound() {
	s.round++
	s.prune, s.pruneAt, s.pruneErr = true, s.r.now, 0
	s.awaiting = map[mcast.Group]bool{}
	for _, g := range groups {
		if s.told[g] != nil || len(s.r.m.order[g]) > 0 {
			s.awaiting[g] = true
		}
		if s.told[g] != nil {
			s.told[g] = &told{dirty: true}
		}
	}
}

func (s *sink) resync() {
	s.startRound()
	s.handle.Resync()
}

func (s *sink) heal() { s.failing, s.takes, s.meanwhile = 0, 0, nil }

// Sync checks that it shall be called, with this state, at this time.
func (s *sink) Sync(_ context.Context, state mcast.State[string]) error {
	s.r.asked()
	defer s.forget()
	g, rows, began := state.Group(), rowsOf(state), s.r.now
	s.r.calls++
	s.r.note(text(fmt.Sprintf("sink%d is told %v %v", s.number, g, rows)))
	e := s.told[g]
	if e == nil {
		if len(rows) == 0 {
			s.r.fail("sink%d hears that %v is gone but never heard of it", s.number, g)
		}
		e = &told{}
		s.told[g] = e
	}
	s.r.check(s.due(e, state, rows))
	delete(s.awaiting, g)
	round := s.round
	e.busy = true
	s.timePasses()
	e.busy = false
	switch err := s.verdict(); {
	case s.round != round: // it was told to forget all meanwhile
		return err
	case err != nil:
		e.failures++
		e.dirty, e.at = true, s.r.now+backoff(s.cfg, e.failures)
		return err
	default:
		*e = told{ok: true, rows: rows, at: began + max(0, s.cfg.MinInterval)}
		return nil
	}
}

// due says why the sink should not have been called.
func (s *sink) due(e *told, state mcast.State[string], rows []row) error {
	if want := s.r.m.rows(state.Group()); !slices.Equal(rows, want) {
		return fmt.Errorf("sink%d is told %v, want %v", s.number, rows, want)
	}
	if s.r.now < e.at {
		return fmt.Errorf("sink%d is called before %v", s.number, e.at)
	}
	if !e.pending(rows) {
		return fmt.Errorf("sink%d is told what it knows: %v", s.number, rows)
	}
	prev, ok := state.Prev()
	if ok != e.ok || !maps.Equal(byName(rowsOf(prev)), byName(e.rows)) {
		return fmt.Errorf("sink%d was told %v %v, but Prev is %v %v", s.number, e.ok, e.rows, ok, rowsOf(prev))
	}
	if got, want := changesOf(state), changes(e.rows, rows); !maps.Equal(got, want) {
		return fmt.Errorf("sink%d is told of changes %v, want %v", s.number, got, want)
	}
	return nil
}

// pending says that there is something to tell.
func (e *told) pending(rows []row) bool {
	return !e.ok || e.dirty || !maps.Equal(byName(e.rows), byName(rows))
}

// timePasses is what happens during a call.
func (s *sink) timePasses() {
	if s.takes > 0 {
		s.r.now += s.takes
		s.takes = 0
		s.r.advance(s.r.now)
	}
	if do := s.meanwhile; do != nil {
		s.meanwhile = nil
		s.r.note(text(fmt.Sprintf("meanwhile %v", do)))
		do.run(s.r)
		s.r.advance(s.r.now)
	}
}

func (s *sink) verdict() error {
	if s.failing == 0 {
		return nil
	}
	if s.failing > 0 {
		s.failing--
	}
	return errFlaky
}

// backoff is MinRetry, doubled with every failure but the first, up to MaxRetry.
func backoff(cfg mcast.SinkConfig, failures int) time.Duration {
	wait := cfg.MinRetry
	for range failures - 1 {
		wait = min(2*wait, cfg.MaxRetry)
	}
	return wait
}

// Prune checks the same of itself.
func (s *sink) Prune(_ context.Context, keep iter.Seq[mcast.Group]) error {
	s.r.asked()
	s.r.calls++
	s.r.note(text(fmt.Sprintf("sink%d prunes", s.number)))
	if !s.prune || len(s.awaiting) > 0 || s.r.now < s.pruneAt {
		s.r.fail("sink%d must not prune: %v, awaiting %v, at %v", s.number, s.prune, s.awaiting, s.pruneAt)
	}
	var want []mcast.Group
	for _, g := range groups {
		if s.told[g] != nil || len(s.r.m.order[g]) > 0 {
			want = append(want, g)
		}
	}
	if got := slices.Collect(keep); !slices.Equal(got, want) {
		s.r.fail("sink%d keeps %v, want %v", s.number, got, want)
	}
	if s.failing < 0 {
		s.pruneErr++
		s.pruneAt = s.r.now + backoff(s.cfg, s.pruneErr)
		return errFlaky
	}
	s.prune = false
	return nil
}

// forget forgets groups that are gone and that the sink has taken away.
func (s *sink) forget() {
	for g, e := range s.told {
		if len(s.r.m.order[g]) == 0 && !e.busy && e.ok && !e.dirty && len(e.rows) == 0 {
			delete(s.told, g)
		}
	}
	for g := range s.awaiting {
		if len(s.r.m.order[g]) == 0 && s.told[g] == nil {
			delete(s.awaiting, g)
		}
	}
}

// settled says what the sink should have been told by now.
func (s *sink) settled() error {
	for _, g := range groups {
		rows, e := s.r.m.rows(g), s.told[g]
		if e == nil && len(rows) > 0 || e != nil && e.pending(rows) && e.at <= s.r.now {
			return fmt.Errorf("sink%d was not told %v %v", s.number, g, rows)
		}
	}
	if s.prune && len(s.awaiting) == 0 && s.pruneAt <= s.r.now {
		return fmt.Errorf("sink%d was not called to prune", s.number)
	}
	if got, want := s.handle.HasSynced(), !s.prune && len(s.awaiting) == 0; got != want {
		return fmt.Errorf("sink%d has synced: %v, want %v", s.number, got, want)
	}
	return nil
}

// agrees says where the sink does not hold what the cache does, but for what
// has changed so lately that MinInterval holds it up.
func (s *sink) agrees() error {
	for _, g := range groups {
		rows, e := s.r.m.rows(g), s.told[g]
		if e == nil {
			e = &told{}
		}
		if e.dirty || e.at <= s.r.now && !maps.Equal(byName(rows), byName(e.rows)) {
			return fmt.Errorf("sink%d holds %v, want %v", s.number, e.rows, rows)
		}
	}
	if s.prune {
		return fmt.Errorf("sink%d was never pruned", s.number)
	}
	return nil
}
