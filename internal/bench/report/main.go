// Command report runs the benchmarks that have something beside them, and prints all as one table, with the machine
// and the versions above it. It is run in internal/bench:
//
//	go run ./report                            what make bench does
//	go run ./report -keep .                    the run's figures, plots and table become those of RESULTS.md too
//	go run ./report -from figures.txt -keep .  the plots and the table are made again of what was kept
//
// It exits with 1 if a figure of the table is missing or a benchmark failed. What was skipped says why.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ofmcast/ofmcast/internal/bench/figures"
)

func main() {
	var o options
	flag.StringVar(&o.benchtime, "benchtime", "200ms", "how long each benchmark runs, as for go test")
	flag.StringVar(&o.keep, "keep", "", "keep figures, plots and table in this `directory`, which has RESULTS.md")
	flag.StringVar(&o.from, "from", "", "take the figures of this `file` instead of a run")
	flag.Parse()
	if err := o.report(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

type options struct{ benchtime, keep, from string }

var (
	// errMissing: the table is printed, and does not have all.
	errMissing = errors.New("figures are missing")
	// errSkipped: it is printed as far as this machine can, but what is kept is whole.
	errSkipped = errors.New("what was skipped is not kept")
)

func (o options) report(out io.Writer) error {
	all, failed := o.figures()
	if all == nil {
		return failed
	}
	r := &reader{Figures: all}
	if _, err := io.WriteString(out, text(r, sections())); err != nil {
		return err
	}
	if len(r.missing) > 0 {
		failed = errors.Join(failed, errMissing)
	}
	if o.keep == "" || failed != nil {
		return failed
	}
	if len(r.skipped) > 0 {
		return errSkipped
	}
	return keep(r, o.keep)
}

// figures are those of a file or of a run; of a run also where a part of it failed.
func (o options) figures() (*figures.Figures, error) {
	if o.from != "" {
		kept, err := os.ReadFile(o.from)
		if err != nil {
			return nil, err
		}
		return figures.Parse(string(kept)), nil
	}
	before := load()
	output, err := run(jobs(o.benchtime), os.Stderr)
	return figures.Parse(machine(time.Now(), before, figures.Parse(output).Fact("cpu")) + output), err
}
