// Command mrouted forwards IP multicast between networks by what their hosts have joined, as an IGMP proxy does.
//
//	mrouted -inside eth1,eth2 -outside eth0
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
		fmt.Fprintln(os.Stderr, "mrouted:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends at once
	if err := run(ctx, o, newView(o, os.Stdout, screen.Size(os.Stdout), os.Getenv("NO_COLOR") == "")); err != nil {
		fmt.Fprintln(os.Stderr, "mrouted:", err)
		os.Exit(1)
	}
}
