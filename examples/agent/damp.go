package main

import "time"

// dampBurst is how often something damped may happen at once.
const dampBurst = 3

// damp lets something happen at once some times, and then as often as every says: a link that flaps, or
// a connection, must not have everybody asked each time. Whoever is turned away may come again.
type damp struct {
	every time.Duration
	spent time.Time // when all that has happened is forgotten
}

// take says whether it may happen now, and if not, when.
func (d *damp) take(now time.Time) (ok bool, at time.Time) {
	if d.spent.Before(now) {
		d.spent = now
	}
	if at = d.spent.Add(-(dampBurst - 1) * d.every); at.After(now) {
		return false, at
	}
	d.spent = d.spent.Add(d.every)
	return true, now
}
