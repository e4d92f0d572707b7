package main

import (
	"fmt"
	"io"

	"github.com/ofmcast/ofmcast/igmp/snooper"
)

// writeSummary prints what there is to know at the end: groups, counters, and what the switch holds.
func (r *replay) writeSummary(out io.Writer) error {
	if err := r.tally.writeText(out); err != nil {
		return err
	}
	r.writeVerdicts(out)
	held := r.held()
	fmt.Fprintf(out, "\n%s holds %d groups after %.3fs\n", r.sw.Name(), len(held), r.now.Sub(r.start).Seconds())
	for _, line := range held {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

// writeVerdicts says what became of every frame and record. Nothing is dropped without a reason.
func (r *replay) writeVerdicts(out io.Writer) {
	counters := r.snooper.Counters()
	writeCounts(out, "frames", counters.Frames)
	writeCounts(out, "records", counters.Records)
	if r.tally.unprogrammed > 0 {
		fmt.Fprintf(out, "  %5d changes  that no switch can hold\n", r.tally.unprogrammed)
	}
	if r.tally.refused > 0 {
		fmt.Fprintf(out, "  %5d records  refused by the cache\n", r.tally.refused)
	}
}

func writeCounts(out io.Writer, what string, counts snooper.Counts) {
	for verdict, n := range counts.All() {
		if n > 0 {
			fmt.Fprintf(out, "  %5d %-7s  %v\n", n, what, verdict)
		}
	}
}
