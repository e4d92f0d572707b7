package main

import (
	"math/rand/v2"
	"time"
)

// params are what is simulated. Every node is alike: it has members of some groups, now and then one of
// them goes over to another group, and it has streams of some groups, whose receivers it must know.
type params struct {
	Nodes   int
	Groups  int           // in all
	Joined  int           // groups that a node has members of
	Streams int           // groups that a node has senders of
	Zaps    float64       // how often a minute one of a node's memberships moves to another group
	Time    time.Duration // how long is simulated
	Seed    uint64

	QI, Lease, Keep time.Duration
	RV              int // how often a change is told in-band
	MTU             int
}

// traffic is what a node sends and gets.
type traffic struct{ OutMsgs, OutBytes, InMsgs, InBytes float64 }

func (t *traffic) out(n, bytes float64) { t.OutMsgs += n; t.OutBytes += n * bytes }
func (t *traffic) in(n, bytes float64)  { t.InMsgs += n; t.InBytes += n * bytes }

// way is one way to share memberships, as it went.
type way struct {
	Mean, Max traffic // of a node, a second; Max is of the node that gets most
	Entries   float64 // memberships of others that a node holds, on average
	State     float64 // their bytes
	Engine    traffic // a second
}

// result is all three for the same history.
type result struct{ Flood, Engine, Partial way }

// world is who wants what, as it is.
type world struct {
	params
	rng      *rand.Rand
	joined   [][]int // by node
	streams  [][]int // by node
	members  [][]int // by group: nodes
	watchers [][]int // by group: nodes that have a stream of it
	flood    []traffic
	engine   []traffic
	partial  []traffic
	hub      [2]traffic // the engine's own, with all watched and with what is of interest
	told     float64    // flooded to everybody but who told it: added to all at the end
	toldLen  float64
	puts     float64 // the same through the engine
	cost     costs
}

// simulate plays a history and counts what each way costs.
func simulate(p params, c costs) result {
	w := newWorld(p, c)
	w.periodic()
	zaps := int(p.Zaps * p.Time.Minutes() * float64(p.Nodes))
	for range zaps {
		w.zap()
	}
	return w.result()
}

func newWorld(p params, c costs) *world {
	w := &world{
		params: p, cost: c, rng: rand.New(rand.NewPCG(p.Seed, 0)),
		joined: make([][]int, p.Nodes), streams: make([][]int, p.Nodes),
		members: make([][]int, p.Groups), watchers: make([][]int, p.Groups),
		flood: make([]traffic, p.Nodes), engine: make([]traffic, p.Nodes), partial: make([]traffic, p.Nodes),
	}
	for n := range p.Nodes {
		w.joined[n] = w.some(p.Joined)
		w.streams[n] = w.some(p.Streams)
		for _, g := range w.joined[n] {
			w.members[g] = append(w.members[g], n)
		}
		for _, g := range w.streams[n] {
			w.watchers[g] = append(w.watchers[g], n)
		}
	}
	return w
}

// some are k different groups, in no order.
func (w *world) some(k int) []int {
	seen := make(map[int]bool, k)
	var list []int
	for len(list) < min(k, w.Groups) {
		if g := w.rng.IntN(w.Groups); !seen[g] {
			seen[g] = true
			list = append(list, g)
		}
	}
	return list
}

// zap moves one membership of a node to another group: two changes.
func (w *world) zap() {
	n := w.rng.IntN(w.Nodes)
	if len(w.joined[n]) == 0 || len(w.joined[n]) == w.Groups {
		return
	}
	i := w.rng.IntN(len(w.joined[n]))
	to := w.rng.IntN(w.Groups)
	for contains(w.joined[n], to) {
		to = w.rng.IntN(w.Groups)
	}
	from := w.joined[n][i]
	w.joined[n][i] = to
	w.members[from] = without(w.members[from], n)
	w.members[to] = append(w.members[to], n)
	w.change(n, from)
	w.change(n, to)
}

// change tells the others that a node joined or left a group.
func (w *world) change(n, g int) {
	w.report(n, float64(w.RV), float64(w.cost.reportBytes(1)))
	w.put(n, g, 1)
}

// report floods a number of reports of one node to all others.
func (w *world) report(n int, count, bytes float64) {
	w.flood[n].out(count*float64(w.Nodes-1), bytes)
	w.flood[n].in(-count, bytes) // told counts for everybody
	w.told += count
	w.toldLen += count * bytes
}

// put writes a group of one node to the engine, a number of times.
func (w *world) put(n, g int, count float64) {
	c := w.cost
	for _, t := range []*traffic{&w.engine[n], &w.partial[n]} {
		t.out(count, c.Write)
		t.in(count, c.Ack)
	}
	for i := range w.hub {
		w.hub[i].in(count, c.Write)
		w.hub[i].out(count, c.Ack)
	}
	w.puts += count // everybody who watches everything gets it, the writer too
	for _, to := range w.watchers[g] {
		w.partial[to].in(count, c.Deliver)
		w.hub[1].out(count, c.Deliver)
	}
}

// periodic counts what is said whether or not anything changes.
func (w *world) periodic() {
	c, s := w.cost, w.Time.Seconds()
	queries := s / w.QI.Seconds()
	renewals := s / (w.Lease.Seconds() * 3 / 10)
	rewrites := s / (w.Keep.Seconds() / 3)
	for n := range w.Nodes {
		for _, bytes := range c.splitReport(len(w.joined[n]), w.MTU) {
			w.report(n, queries, float64(bytes))
		}
		for _, g := range w.joined[n] {
			w.put(n, g, rewrites)
		}
		for i, t := range []*traffic{&w.engine[n], &w.partial[n]} {
			heard := float64(w.Nodes) // everybody's renewals
			if i == 1 {
				heard = float64(len(w.peers(n))) + 1
			}
			t.out(renewals, c.RenewWrite)
			t.in(renewals, c.RenewAck)
			t.in(renewals*heard, c.RenewDeliver)
			w.hub[i].in(renewals, c.RenewWrite)
			w.hub[i].out(renewals, c.RenewAck)
			w.hub[i].out(renewals*heard, c.RenewDeliver)
		}
	}
}

// peers are the nodes whose members a node's streams go to.
func (w *world) peers(n int) map[int]bool {
	peers := map[int]bool{}
	for _, g := range w.streams[n] {
		for _, m := range w.members[g] {
			peers[m] = true
		}
	}
	delete(peers, n)
	return peers
}

func contains(list []int, v int) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// without takes v out; the order does not matter.
func without(list []int, v int) []int {
	for i, x := range list {
		if x == v {
			list[i] = list[len(list)-1]
			return list[:len(list)-1]
		}
	}
	return list
}
