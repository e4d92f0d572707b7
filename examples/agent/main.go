// Command agent gives the bridge of an Open vSwitch host multicast. It wires the packages together;
// each of its files is one seam.
//
//	agent -bridge br0 -gateway gw0
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if code, ok := runCommand(os.Args[1:]); ok {
		os.Exit(code)
	}
	o, err := parseOptions(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(2)
	}
	log := newLogger(o, os.Stderr)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, log); err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

// run serves the bridge until ctx ends. What is not there yet, as while a machine starts, is waited for.
func run(ctx context.Context, o options, log *slog.Logger) error {
	if o.dryRun {
		return dryRun(ctx, o, os.Stdout, log)
	}
	for _, text := range o.warnings() {
		log.Warn("configuration", "warning", text)
	}
	unlock, err := lockState(o, log)
	if err != nil {
		return err
	}
	defer unlock()
	past := recall(o, log)
	a, err := newAgent(o, log)
	if err != nil {
		return err
	}
	a.past = past
	return a.run(ctx)
}
