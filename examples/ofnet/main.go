// Command ofnet is for programs that have a connection to their switch already, made by
// antrea.io/ofnet, and want groups, snooping and queries on it: three small adapters, one
// a file, that are meant to be copied.
//
//	ofnet -bridge /var/run/openvswitch/br0.mgmt -members 1,2,3
//
// It sends IGMP queries to the member ports and keeps a group of the ports that want each
// multicast address. Flows that point at these groups are left to the program around it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"github.com/ofmcast/ofmcast/ofgroup"
)

func main() {
	bridge := flag.String("bridge", "/var/run/openvswitch/br0.mgmt", "management socket of the bridge")
	members := flag.String("members", "", "numbers of the ports with hosts, separated by commas")
	flag.Parse()
	ports, err := parsePorts(*members)
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		err = newApp(ports, slog.New(slog.NewTextHandler(os.Stderr, nil))).run(ctx, *bridge)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "ofnet:", err)
		os.Exit(1)
	}
}

// parsePorts reads port numbers such as "1,2,3".
func parsePorts(text string) ([]ofgroup.Port, error) {
	var ports []ofgroup.Port
	for _, word := range strings.Split(text, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(word), 10, 32)
		if err != nil {
			return nil, fmt.Errorf("-members: %w", err)
		}
		ports = append(ports, ofgroup.Port(n))
	}
	return ports, nil
}
