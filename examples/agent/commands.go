package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/term"
	"github.com/ofmcast/ofmcast/examples/agent/view"
	"github.com/ofmcast/ofmcast/examples/agent/web"
	"github.com/ofmcast/ofmcast/examples/agent/why"
)

// The exit codes of commands.
const (
	exitGood  = 0
	exitBad   = 1 // the port does not receive, something is wrong
	exitUsage = 2 // or the question could not be answered
)

// commands are what the program does beside being an agent: it looks at one.
func commands() map[string]func(ctx context.Context, args []string, out, errs io.Writer) (int, error) {
	return map[string]func(context.Context, []string, io.Writer, io.Writer) (int, error){
		"status": status, "why": explain, "doctor": examine,
	}
}

// runCommand runs the command that the arguments name, if they name one.
func runCommand(args []string) (code int, ok bool) {
	if len(args) == 0 || commands()[args[0]] == nil {
		return 0, false
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := commands()[args[0]](ctx, args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		code = exitGood
	case err != nil:
		fmt.Fprintln(os.Stderr, "agent "+args[0]+":", err)
	}
	return code, true
}

// lookFlags are those of commands that ask a running agent.
func lookFlags(name, usage string, errs io.Writer) (fs *flag.FlagSet, address *string) {
	fs = flag.NewFlagSet("agent "+name, flag.ContinueOnError)
	fs.SetOutput(errs)
	fs.Usage = func() {
		fmt.Fprint(errs, usage)
		fs.PrintDefaults()
	}
	return fs, fs.String("http", ":9500", "`ADDRESS` that the agent was given with -http")
}

const statusUsage = `agent status prints what a running agent does: groups, ports, routes, sinks, events. Where there are
streams it looks twice, a second apart, for their rates.

Flags:
`

// ratesAfter is when an agent has rates to tell: it reads counters only when it is asked, once a second.
const ratesAfter = 1100 * time.Millisecond

// watchEvery is how often status -watch looks.
const watchEvery = 2 * time.Second

func status(ctx context.Context, args []string, out, errs io.Writer) (int, error) {
	fs, address := lookFlags("status", statusUsage, errs)
	watch := fs.Bool("watch", false, "look again and again, until interrupted")
	if err := fs.Parse(args); err != nil {
		return exitUsage, err
	}
	for {
		s, err := askAgent(ctx, *address)
		if err == nil && !*watch && len(s.Groups)+len(s.Routes) > 0 {
			pause(ctx, ratesAfter)
			s, err = askAgent(ctx, *address)
		}
		if *watch {
			fmt.Fprint(out, "\x1b[H\x1b[2J") // clear the screen
		}
		switch {
		case ctx.Err() != nil:
			return exitGood, nil
		case err != nil && !*watch:
			return exitUsage, err
		case err != nil:
			fmt.Fprintln(out, err)
		default:
			if err := term.Write(out, s); err != nil {
				return exitUsage, err
			}
		}
		if !*watch {
			return exitGood, nil
		}
		pause(ctx, watchEvery)
	}
}

const whyUsage = `agent why GROUP[@VLAN] [SOURCE] PORT says why a port gets a stream, or does not: by what the running
agent knows, and by what the switch has. It ends with 0 if the port gets it, with 1 if not, and with 2
if that is not known.

Flags:
`

func explain(ctx context.Context, args []string, out, errs io.Writer) (int, error) {
	fs, address := lookFlags("why", whyUsage, errs)
	openflow := fs.String("openflow", "", "`ADDRESS` of the bridge's OpenFlow socket (default unix:/var/run/openvswitch/BRIDGE.mgmt)")
	trace := fs.Bool("trace", false, "have the switch trace a packet too, by ovs-appctl; needs a SOURCE")
	target := fs.String("target", "ovs-vswitchd", "`TARGET` of ovs-appctl, a name or a control socket")
	if err := fs.Parse(args); err != nil {
		return exitUsage, err
	}
	q, err := why.Parse(fs.Args())
	if err != nil {
		return exitUsage, err
	}
	s, err := askAgent(ctx, *address)
	if err != nil {
		return exitUsage, err
	}
	if *openflow == "" {
		*openflow = "unix:/var/run/openvswitch/" + s.Bridge + ".mgmt"
	}
	a := why.Explain(q, s, func(group, port uint32) (why.OnSwitch, error) {
		return readSwitch(ctx, *openflow, group, port)
	})
	printAnswer(out, a)
	if *trace {
		printTrace(ctx, out, *openflow, *target, s, q)
	}
	if a.Receives {
		return exitGood, nil
	}
	return exitBad, nil
}

func printAnswer(out io.Writer, a why.Answer) {
	for _, step := range a.Steps {
		printStep(out, step.OK, step.Text)
	}
	word := "it does not receive"
	if a.Receives {
		word = "it receives"
	}
	fmt.Fprintf(out, "%s: %s\n", word, term.Safe(a.Because))
}

func printStep(out io.Writer, ok bool, text string) {
	mark := "ok "
	if !ok {
		mark = "!! "
	}
	fmt.Fprintln(out, mark+term.Safe(text))
}

// errNoAgent says that no agent answers.
var errNoAgent = errors.New("no agent answers; is it running, with -http?")

// askAgent asks a running agent for its state.
func askAgent(ctx context.Context, at string) (s view.State, err error) {
	address, err := web.Address(at)
	if err != nil {
		return s, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/api/state", nil)
	if err != nil {
		return s, err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	if err != nil {
		return s, fmt.Errorf("%w (%w)", errNoAgent, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 200))
		return s, fmt.Errorf("%s: %s: %s", address, resp.Status, term.Safe(strings.TrimSpace(string(text))))
	}
	const most = 64 << 20
	if err := json.NewDecoder(io.LimitReader(resp.Body, most)).Decode(&s); err != nil {
		return s, fmt.Errorf("%s: %w", address, err)
	}
	if s.Format != view.Format {
		return s, fmt.Errorf("%s: an agent of another version: format %d, not %d", address, s.Format, view.Format)
	}
	return s, nil
}
