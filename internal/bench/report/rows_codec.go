package main

import "fmt"

func library() (rows []row) {
	for _, x := range []struct {
		shape, job string
		aim        float64
	}{{"output", "build+encode", 3}, {"service", "build+encode", 8}, {"output", "decode", 5}, {"service", "decode", 5}} {
		name := "group/Group/" + x.shape + "/%d"
		rows = append(rows, row{
			what: x.shape + ": " + x.job, n: 100, aims: []aim{ahead(x.aim)},
			ours: turns(name, x.job), other: turns(name, "library-"+x.job), over: []int{100, 700},
		})
	}
	return rows
}

func floors() (rows []row) {
	for _, shape := range []string{"output", "service"} {
		name := "group/Group/" + shape + "/%d"
		for _, x := range []struct {
			what, way string
			aims      []aim
		}{
			{"append to a buffer with room", "append", []aim{allocs(0)}},
			{"encode into a fresh one", "fresh", []aim{ahead(0.5), allocs(1)}},
			{"check and encode (Group.Mod)", "encode", nil},
			{"build one by one and encode", "build+encode", nil},
		} {
			rows = append(rows, row{
				what: shape + ": " + x.what, n: 100, over: buckets(), aims: x.aims,
				ours: turns(name, x.way), other: turns(name, "floor"),
			})
		}
	}
	return rows
}

func change() []row {
	const name = "group/Change/%d"
	return []row{
		{what: "group of 100", n: 100, ours: turns(name, "table"), other: turns(name, "whole")},
		{what: "group of 700", n: 700, over: buckets(), ours: turns(name, "table"), other: turns(name, "whole")},
	}
}

// frames are the rows of BenchmarkFrame and BenchmarkPayload. The aims are for whole frames.
func frames(benchmark string, aims bool) []row {
	decode := func(what, shape string, n int, aims ...aim) row {
		name := "igmp/" + benchmark + "/" + shape
		return row{what: what, n: n, ours: turns(name, "ours"), other: turns(name, "gopacket"), aims: append(aims, allocs(0))}
	}
	rows := []row{
		decode("v2 report", "v2-report", 0, ahead(1)),
		decode("v3 report of 1 record", "records/%d", 1, ahead(2.5)),
		decode("v3 report of 10 records", "records/%d", 10, ahead(4)),
		decode("v3 report of 183 records", "records/%d", 183, ahead(4)),
		decode("v3 report of 10 records of 2 sources", "records-of-2-sources/10", 0),
		decode("v3 query of 3 sources", "query-of-3-sources", 0),
	}
	rows[3].over = records()
	if !aims {
		for i := range rows {
			rows[i].aims = []aim{allocs(0)}
		}
	}
	return rows
}

func bytewise() (rows []row) {
	const name = "igmp/Frame/records/%d"
	for _, n := range []int{10, 183} {
		rows = append(rows, row{
			what: fmt.Sprintf("v3 report of %d records", n), n: n, ours: turns(name, "ours"), other: turns(name, "floor"),
		})
	}
	return rows
}

func snooper() []row {
	read := func(what, shape string, n int) row {
		return row{what: what, n: n, ours: figure{"igmp/Snooper/" + shape, "frames/s", "allocs/op"}, aims: []aim{allocs(0)}}
	}
	return []row{
		read("v2 report", "v2-report", 0),
		read("v3 report of 1 record", "records/%d", 1),
		read("v3 report of 10 records", "records/%d", 10),
		read("v3 report of 183 records", "records/%d", 183),
	}
}
