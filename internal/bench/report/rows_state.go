package main

import "github.com/ofmcast/ofmcast/internal/bench/figures"

func joins() []row {
	join := func(n int, other string, aims ...aim) row {
		const name = "cache/Joins/%d"
		return row{
			what: figures.Digits(float64(n)) + " joins", n: n, aims: aims,
			ours: figure{name, "ms-ours", "allocs-ours"}, other: figure{name, "ms-" + other, "allocs-" + other},
		}
	}
	rows := []row{
		join(100, "usual"), join(1000, "usual", ahead(10)), join(10_000, "usual", ahead(500), grows(1.15)),
		join(10_000, "without-index"),
	}
	rows[2].over = joiners()
	rows[3].what += ", no index by member"
	rows[3].over = joiners()
	return rows
}

func refresh() []row {
	report := func(what, name string, n int, aims ...aim) row {
		return row{what: what, n: n, ours: turns(name, "ours"), other: turns(name, "usual"), aims: append(aims, allocs(0))}
	}
	const size, among = "cache/Refresh/%d", "cache/RefreshAmong/%d"
	quick := under("ns", 150)
	rows := []row{
		report("group of 10", size, 10, quick), report("group of 1,000", size, 1000, quick), report("group of 10,000", size, 10_000, quick),
		report("group of 3 among 1,000 groups", among, 1000), report("group of 3 among 100,000 groups", among, 100_000),
	}
	rows[2].over, rows[4].over = crowds(), groups()
	return rows
}

func million() []row {
	const ours, usual, sources = "cache/Million/ours", "cache/Million/usual", "cache/Million/ours-source"
	at := func(benchmark, unit string) figure { return figure{benchmark: benchmark, unit: unit} }
	both := func(what, unit string) row { return row{what: what, ours: at(ours, unit), other: at(usual, unit)} }
	return []row{
		{
			what: "bytes each, without a sink", ours: at(ours, "B/membership-without-sink"), other: at(usual, "B/membership"),
			aims: []aim{under("B", 150)},
		},
		both("bytes each, with a sink", "B/membership"),
		{what: "bytes each, with a source, without a sink", ours: at(sources, "B/membership-without-sink")},
		{what: "bytes each, with a source, with a sink", ours: at(sources, "B/membership")},
		both("load and deliver", "s-load"),
		both("a tenth expires, delivered", "ms-expire-tenth"),
		both("a member of 1,000 groups leaves, delivered", "ms-remove-1000-groups"),
		{what: "processor of Run while nothing comes", ours: at("cache/Idle/silent", "%-core-silent"), aims: []aim{under("%", 1)}},
		{what: "processor of Advance, all often refreshed", ours: at("cache/Idle/refreshed", "%-core-refreshed"), aims: []aim{under("%", 1)}},
	}
}
