// Command querier is an IGMP querier for a Linux interface, and shows who is a member of which group.
//
//	querier -i eth0
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/ofmcast/ofmcast/examples/internal/screen"
)

func main() {
	o, err := parseOptions(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintln(os.Stderr, "querier:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends at once
	v := newView(o, os.Stdout, screen.Size(os.Stdout), os.Getenv("NO_COLOR") == "")
	if err := run(ctx, o, v); err != nil {
		fmt.Fprintln(os.Stderr, "querier:", err)
		os.Exit(1)
	}
}
