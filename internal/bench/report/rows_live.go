package main

import "fmt"

func commits() []row {
	together := func(n int, what, way string, aims ...aim) row {
		const name = "table/ManyCommitters"
		way = fmt.Sprintf("%s-%d", way, n)
		return row{
			what: fmt.Sprintf("%d goroutines, %s", n, what), share: "%/" + way, aims: aims,
			ours: figure{benchmark: name, unit: "us/" + way}, other: figure{benchmark: name, unit: "us/bare"},
		}
	}
	return []row{
		together(64, "Table", "table", ahead(0.7)), together(64, "Group.Commit", "commit"),
		together(256, "Table", "table", ahead(0.9)), together(256, "Group.Commit", "commit"),
	}
}

func alone() []row {
	waits := func(what, way string, aims ...aim) row {
		const name = "table/OneCommitter"
		return row{
			what: what, share: "%/" + way, aims: aims,
			ours: figure{benchmark: name, unit: "us/" + way}, other: figure{benchmark: name, unit: "us/bare"},
		}
	}
	return []row{waits("Table", "table", ahead(0.8)), waits("Group.Commit", "commit")}
}

func member() []row {
	change := func(what, ours, whole string) row {
		const name = "table/OneMemberOf700"
		return row{what: what, ours: figure{benchmark: name, unit: ours}, other: figure{benchmark: name, unit: whole}}
	}
	return []row{
		change("time until it is confirmed", "us/table", "us/whole"),
		change("the switch's processor", "us-switch/table", "us-switch/whole"),
		change("the client's processor", "us-client/table", "us-client/whole"),
		change("bytes to join, barrier included", "bytes/join", "bytes/whole"),
		change("bytes to leave, barrier included", "bytes/leave", "bytes/whole"),
	}
}

func first() []row {
	const name = "routes/FirstPacket"
	return []row{{
		what: "median", aims: []aim{ahead(1)},
		ours: figure{benchmark: name, unit: "µs-ours"}, other: figure{benchmark: name, unit: "µs-smcroute"},
	}}
}

func kernel() []row {
	const add, count = "routes/Add/%d", "routes/Count/%d"
	ioctls := figure{benchmark: count, unit: "µs-ioctls"}
	return []row{
		{
			what: "1,000 added; setsockopt", n: 1000, over: routings(), aims: []aim{ahead(1 / 1.2), allocs(0)},
			ours: figure{add, "µs-ours", "allocs-ours"}, other: figure{benchmark: add, unit: "µs-floor"},
		},
		{
			what: "1,000 counted one by one; ioctl", n: 1000, over: routings(),
			ours: figure{count, "µs-RouteCounters", "allocs-RouteCounters"}, other: ioctls,
		},
		{what: "1,000 counted by one Dump; ioctl", n: 1000, over: routings(), ours: figure{benchmark: count, unit: "µs-ours"}, other: ioctls},
	}
}

func join() []row {
	took := func(what string, aims ...aim) row {
		const name = "agent/JoinToFirstPacket"
		return row{
			what: what, aims: aims,
			ours: figure{benchmark: name, unit: "ms-" + what + "-agent"}, other: figure{benchmark: name, unit: "ms-" + what + "-snooping"},
		}
	}
	return []row{took("p50", later(1e-3)), took("p99")}
}

func storm() []row {
	of := func(what, unit string, aims ...aim) row {
		return row{what: what, ours: figure{benchmark: "agent/Storm", unit: unit}, aims: aims}
	}
	return []row{
		of("all confirmed, from the first report", "s-settled", under("s", 2)),
		of("GROUP_MODs of the group that had most", "GROUP_MODs/group", under("", 25)),
		of("messages unconfirmed at a time", "unconfirmed"),
	}
}
