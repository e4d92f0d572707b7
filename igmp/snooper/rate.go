package snooper

import (
	"math"
	"time"
)

// sender is what of a port is counted apart.
type sender uint8

const (
	hosts   sender = iota // reports, leaves and unknown types
	routers               // queries and other signs of a router
	numSenders
)

// withinRate counts a frame against its port's rate.
func (s *Snooper) withinRate(in *input, from sender) Verdict {
	if in.role == Trusted || in.role == Router && from == routers {
		return noObjection
	}
	return s.rate.take(in.port, from, s.now)
}

// limiter has a token bucket for each sender behind each port. A bucket is one time: when it will be full again, if
// nothing more is taken. So a full bucket is a time that has passed, and need not be kept.
type limiter struct {
	token   time.Duration // what one frame costs; 0 if nothing is limited
	slack   time.Duration // how far ahead of now a bucket may be and still give a token
	max     int
	buckets map[Port]*[numSenders]time.Time
	swept   time.Time
}

// init sets the limits of l, which have their defaults.
func (r *limiter) init(l Limits) {
	r.max = l.Ports
	r.buckets = map[Port]*[numSenders]time.Time{}
	if l.FramesPerSecond == unlimited || l.FrameBurst == unlimited {
		return
	}
	r.token = max(time.Second/time.Duration(l.FramesPerSecond), 1)
	r.slack = time.Duration(min(int64(l.FrameBurst)-1, math.MaxInt64/4/int64(r.token))) * r.token
}

// take takes a token, if there is one. Time must not go back.
func (r *limiter) take(p Port, from sender, now time.Time) Verdict {
	if r.token == 0 {
		return noObjection
	}
	b := r.buckets[p]
	if b == nil {
		if b = r.add(p, now); b == nil {
			return IgnoredPortLimit
		}
	}
	full := &b[from]
	if full.Before(now) {
		*full = now
	}
	if full.Sub(now) > r.slack {
		return IgnoredRate
	}
	*full = full.Add(r.token)
	return noObjection
}

// add returns nil if there is no room.
func (r *limiter) add(p Port, now time.Time) *[numSenders]time.Time {
	if len(r.buckets) >= r.max && !r.sweep(now) {
		return nil
	}
	b := &[numSenders]time.Time{}
	r.buckets[p] = b
	return b
}

// sweep forgets full buckets and tells whether there is room then. It looks at all, but no more often than an empty
// bucket takes to fill, so that a crowd of ports cannot make each frame cost as much as the table.
func (r *limiter) sweep(now time.Time) bool {
	if !r.swept.IsZero() && now.Sub(r.swept) < r.slack+r.token {
		return false
	}
	r.swept = now
	for p, b := range r.buckets {
		if !b[hosts].After(now) && !b[routers].After(now) {
			delete(r.buckets, p)
		}
	}
	return len(r.buckets) < r.max
}

func (r *limiter) remove(p Port) { delete(r.buckets, p) }
