// Command demo shows the example programs on a real Open vSwitch, a private one that it starts and
// ends. It checks quickstart and servicelb with ovs-ofctl: PASS when the groups on the switch are
// those that the programs say. Then it runs the agent among real hosts, which needs root, and counts
// who got which packets.
//
//	make demo
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// errFailed says that the switch does not hold what a program says.
var errFailed = errors.New("FAIL")

// meddler changes a switch behind a program's back.
type meddler func(context.Context, *ovslab.Lab) error

// act is one program's turn.
type act struct {
	title   string
	program string
	args    []string
	quiet   bool // do not show what it prints
}

var acts = []act{
	{
		title:   "What real hosts said becomes groups: a capture of four Linux hosts, up to its 145th second",
		program: "quickstart", args: []string{"-until", "145s"},
	},
	{
		title:   "A Service's endpoints come and go: one GROUP_MOD a change",
		program: "servicelb",
	},
	{
		title:   "The capture again, to its end: every membership ends, and so does every group",
		program: "quickstart", quiet: true,
	},
}

const usage = `demo shows quickstart, servicelb and the agent on a private Open vSwitch, and says PASS or FAIL. It takes no
arguments, half a minute, and an installed Open vSwitch; the agent among its hosts needs root too. It
builds the programs, so it is run in the repository:

  make demo
`

func main() {
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
	}
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	if err := show(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// show plays everything.
func show(ctx context.Context, out io.Writer) error {
	bin, err := build(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(bin) }()
	verdict := run(ctx, bin, out, acts, nil)
	if verdict != nil && !errors.Is(verdict, errFailed) {
		return verdict
	}
	if verdict = errors.Join(verdict, playLive(ctx, bin, out)); verdict != nil {
		return verdict
	}
	_, err = fmt.Fprintln(out, "\nPASS")
	return err
}

// run plays the acts. meddle, if not nil, is called between a program's end and the comparison.
func run(ctx context.Context, bin string, out io.Writer, acts []act, meddle meddler) error {
	var verdicts []error
	for _, a := range acts {
		err := a.play(ctx, bin, out, meddle)
		if err != nil && !errors.Is(err, errFailed) {
			return err
		}
		verdicts = append(verdicts, err)
	}
	return errors.Join(verdicts...)
}

// build compiles the programs into a temporary directory.
func build(ctx context.Context) (string, error) {
	bin, err := os.MkdirTemp("", "ofmcast-demo")
	if err != nil {
		return "", err
	}
	const examples = "github.com/ofmcast/ofmcast/examples/"
	cmd := exec.CommandContext(ctx, "go", "build", "-o", bin+string(filepath.Separator), examples+"quickstart", examples+"servicelb", examples+"agent")
	// Asked to end rather than killed, go build removes what it has made so far.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("building the programs: %w: %s", err, said), os.RemoveAll(bin))
	}
	return bin, nil
}

// play runs the program against a switch of its own and compares what it says with what is there.
func (a act) play(ctx context.Context, bin string, out io.Writer, meddle meddler) error {
	lab, err := ovslab.Start(ctx, ovslab.Config{Ports: []string{"p1", "p2", "p3", "p4", "p5"}})
	if err != nil {
		return err
	}
	defer func() { _ = lab.Close() }()

	fmt.Fprintf(out, "\n== %s ==\n", a.title)
	if !a.quiet {
		fmt.Fprintln(out)
	}
	said, err := a.exec(ctx, bin, lab, out)
	if err != nil {
		return err
	}
	if meddle != nil {
		if err := meddle(ctx, lab); err != nil {
			return err
		}
	}
	return compare(ctx, lab, groupLines(said), out)
}
