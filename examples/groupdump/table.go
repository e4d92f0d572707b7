package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// Columns of the table, from the left; those of rates are for a watch.
var columns = []struct {
	name  string
	right bool // numbers
	rate  bool
}{
	{name: "GROUP"}, {name: "TYPE"}, {name: "AGE", right: true}, {name: "USERS", right: true},
	{name: "PACKETS", right: true}, {name: "BYTES", right: true},
	{name: "PACKETS/s", right: true, rate: true}, {name: "BYTES/s", right: true, rate: true},
	{name: ""},
}

// table prints the groups, each with its buckets below, and with rates what went through since before,
// which may be nil.
func table(now, before *snapshot, rates bool) string {
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	rows := [][]string{names}
	for _, e := range now.entries {
		rows = append(rows, groupRow(e, now, before))
		for i := range e.group.Len() {
			rows = append(rows, bucketRow(e, i, now, before))
		}
	}
	return layout(rows, rates)
}

func groupRow(e entry, now, before *snapshot) []string {
	s := e.stats
	row := []string{s.ID.String(), "", age(s.Duration()), number(uint64(s.RefCount))}
	row = append(row, number(s.Packets), number(s.Bytes))
	old, ok := before.group(s.ID)
	row = append(row, rateCells(ofgroup.BucketStats{Packets: s.Packets, Bytes: s.Bytes},
		ofgroup.BucketStats{Packets: old.stats.Packets, Bytes: old.stats.Bytes}, ok, now.since(before))...)
	switch {
	case !e.described:
		row[1] = "?"
		return append(row, count(len(s.Buckets), "bucket")+", too many to ask for (see -describe)")
	case e.group.Len() == 0:
		row = append(row, "no buckets: drops every packet")
	default:
		row = append(row, e.group.Selection().String())
	}
	row[1] = e.group.Type().String()
	return row
}

func bucketRow(e entry, i int, now, before *snapshot) []string {
	b := e.group.Bucket(i)
	id := idOf(b)
	text := strings.TrimPrefix(b.String(), "bucket_id:"+id.String()+",")
	row := []string{"  bucket " + id.String(), "", "", ""}
	counters, ok := e.bucket(id, i)
	if !ok {
		return append(row, "?", "?", "", "", named(text, now.names))
	}
	row = append(row, number(counters.Packets), number(counters.Bytes))
	old, _ := before.group(e.stats.ID)
	was, ok := old.bucket(id, i)
	row = append(row, rateCells(counters, was, ok, now.since(before))...)
	return append(row, named(text, now.names))
}

var ports = regexp.MustCompile(`\b(output|watch_port):(\d+)`)

// named has the names of ports where the text has their numbers, as ovs-ofctl --names does.
func named(text string, names map[ofgroup.Port]string) string {
	return ports.ReplaceAllStringFunc(text, func(s string) string {
		what, digits, _ := strings.Cut(s, ":")
		n, err := strconv.ParseUint(digits, 10, 32)
		if name := names[ofgroup.Port(n)]; err == nil && name != "" {
			return what + ":" + name
		}
		return s
	})
}

// layout puts the rows into columns that are as wide as they must be.
func layout(rows [][]string, rates bool) string {
	width := make([]int, len(columns))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], len(cell))
		}
	}
	var sb strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			switch c := columns[i]; {
			case c.rate && !rates:
			case c.right:
				line += fmt.Sprintf("%*s  ", width[i], cell)
			default:
				line += fmt.Sprintf("%-*s  ", width[i], cell)
			}
		}
		sb.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return sb.String()
}
