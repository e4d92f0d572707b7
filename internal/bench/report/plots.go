package main

import (
	"math"

	"github.com/ofmcast/ofmcast/internal/bench/figures"
	"github.com/ofmcast/ofmcast/internal/bench/plot"
)

// drawing is a plot and the file that it goes to, which begins with file.
type drawing struct {
	file, title, x string
	over           []int
	lines          []drawn
}

// drawn is one of its lines.
type drawn struct {
	name string
	figure
}

// drawings are all plots, in the order in which RESULTS.md shows them.
func drawings() []drawing {
	const service, change, frame = "group/Group/service/%d", "group/Change/%d", "igmp/Frame/records/%d"
	const size, among, joins = "cache/Refresh/%d", "cache/RefreshAmong/%d", "cache/Joins/%d"
	const add, count = "routes/Add/%d", "routes/Count/%d"
	ms := func(way string) figure { return figure{benchmark: joins, unit: "ms-" + way} }
	us := func(benchmark, way string) figure { return figure{benchmark: benchmark, unit: "µs-" + way} }
	return []drawing{
		{"group-service", "A GROUP_MOD of n service buckets", "buckets", buckets(), []drawn{
			{"build and encode", turns(service, "build+encode")}, {"decode", turns(service, "decode")},
			{"floor", turns(service, "floor")}, {"encode", turns(service, "fresh")},
		}},
		{"group-change", "One joins and leaves a group of n, no switch", "members", buckets(), []drawn{
			{"Table", turns(change, "table")}, {"whole group", turns(change, "whole")},
		}},
		{"igmp-records", "A frame with a v3 report of n records is decoded", "records", records(), []drawn{
			{"ours", turns(frame, "ours")}, {"gopacket", turns(frame, "gopacket")}, {"bare loop", turns(frame, "floor")},
		}},
		{"cache-joins", "n members join one group, each delivered", "members", joiners(), []drawn{
			{"ours", ms("ours")}, {"client-go", ms("usual")}, {"client-go without index", ms("without-index")},
		}},
		{"cache-size", "A known member of a group of n reports again", "members", crowds(), []drawn{
			{"ours", turns(size, "ours")}, {"client-go", turns(size, "usual")},
		}},
		{"cache-groups", "A known member reports again, among n groups", "groups of 3 members", groups(), []drawn{
			{"ours", turns(among, "ours")}, {"client-go", turns(among, "usual")},
		}},
		{"routes-add", "n routes are added", "routes", routings(), []drawn{
			{"AddRoute", us(add, "ours")}, {"setsockopt", us(add, "floor")},
		}},
		{"routes-count", "The counters of n routes", "routes", routings(), []drawn{
			{"Dump", us(count, "ours")}, {"RouteCounters", us(count, "RouteCounters")}, {"ioctl", us(count, "ioctls")},
		}},
	}
}

// plot is the drawing of the figures that there are.
func (d drawing) plot(r *reader) plot.Plot {
	p := plot.Plot{Title: d.title, X: d.x, Kind: figures.Seconds}
	for _, line := range d.lines {
		s := plot.Series{Name: line.name}
		x, y := line.series(r, d.over)
		for i := range x {
			if !math.IsNaN(y[i]) && y[i] > 0 {
				s.X, s.Y = append(s.X, x[i]), append(s.Y, y[i])
			}
		}
		p.Series = append(p.Series, s)
	}
	return p
}

// pictures are all drawings as files, by name.
func pictures(r *reader) map[string]string {
	all := map[string]string{}
	for _, d := range drawings() {
		p := d.plot(r)
		for _, t := range []plot.Theme{plot.Light(), plot.Dark()} {
			all[d.file+"-"+t.Name+".svg"] = p.SVG(t)
		}
	}
	return all
}
