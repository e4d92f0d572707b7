package view

import (
	"sync"
	"time"
)

// rates keeps how much happened in each of the last seconds.
type rates struct {
	mu     sync.Mutex
	at     time.Time // of the last sample; zero before the first
	have   counts
	points []Rate
	max    int
}

// counts are counters of which the difference is of interest.
type counts struct{ changes, mods uint64 }

// sample takes the counters of a moment. The first one only begins.
func (r *rates) sample(at time.Time, now counts) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last, before := r.at, r.have
	r.at, r.have = at, now
	if last.IsZero() || !at.After(last) {
		return
	}
	if len(r.points) == r.max {
		copy(r.points, r.points[1:])
		r.points = r.points[:r.max-1]
	}
	r.points = append(r.points, Rate{
		At:        at,
		Changes:   perSecond(before.changes, now.changes, at.Sub(last)),
		GroupMods: perSecond(before.mods, now.mods, at.Sub(last)),
	})
}

func (r *rates) list() []Rate {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Rate{}, r.points...)
}

// perSecond is how fast a counter rose. One that fell was begun anew: what it says is new.
func perSecond(before, now uint64, in time.Duration) float64 {
	if now < before {
		before = 0
	}
	if in <= 0 {
		return 0
	}
	return float64(now-before) / in.Seconds()
}

// meters turn counters that are read now and then into rates. They remember the counters of the last two
// readings: what is gone is forgotten.
type meters[K comparable] struct {
	at     time.Time
	before map[K]uint64
}

// read takes a reading and returns by how much each counter rose in a second. A counter that was not
// there before has no rate yet, nor has any one after a long time without a reading.
func (m *meters[K]) read(at time.Time, now map[K]uint64) map[K]float64 {
	const tooLong = 30 * time.Second
	out := make(map[K]float64, len(now))
	if d := at.Sub(m.at); !m.at.IsZero() && d < tooLong {
		for k, n := range now {
			if before, ok := m.before[k]; ok {
				out[k] = perSecond(before, n, d)
			}
		}
	}
	m.at, m.before = at, now
	return out
}
