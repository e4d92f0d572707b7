package main

// result sums up.
func (w *world) result() (r result) {
	for n := range w.Nodes {
		w.flood[n].InMsgs += w.told
		w.flood[n].InBytes += w.toldLen
		w.engine[n].in(w.puts, w.cost.Deliver)
	}
	w.hub[0].out(w.puts*float64(w.Nodes), w.cost.Deliver)

	all, interest := 0, 0
	for n := range w.Nodes {
		all += len(w.joined[n])
		for _, g := range w.streams[n] {
			interest += len(w.members[g])
			if contains(w.joined[n], g) {
				interest-- // itself
			}
		}
	}
	others := float64(all) * float64(w.Nodes-1) / float64(w.Nodes)
	r.Flood = w.way(w.flood, traffic{}, others, w.cost.CacheEntry)
	r.Engine = w.way(w.engine, w.hub[0], others, w.cost.CacheEntry+w.cost.MirrorEntry)
	r.Partial = w.way(w.partial, w.hub[1], float64(interest)/float64(w.Nodes), w.cost.CacheEntry+w.cost.MirrorEntry)
	return r
}

func (w *world) way(nodes []traffic, hub traffic, entries, each float64) way {
	s := w.Time.Seconds()
	x := way{Entries: entries, State: entries * each, Engine: hub.over(s)}
	for _, t := range nodes {
		t = t.over(s)
		x.Mean.OutMsgs += t.OutMsgs / float64(w.Nodes)
		x.Mean.OutBytes += t.OutBytes / float64(w.Nodes)
		x.Mean.InMsgs += t.InMsgs / float64(w.Nodes)
		x.Mean.InBytes += t.InBytes / float64(w.Nodes)
		if t.InMsgs > x.Max.InMsgs {
			x.Max = t
		}
	}
	return x
}

func (t traffic) over(seconds float64) traffic {
	return traffic{t.OutMsgs / seconds, t.OutBytes / seconds, t.InMsgs / seconds, t.InBytes / seconds}
}
