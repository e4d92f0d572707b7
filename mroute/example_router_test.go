package mroute_test

import (
	"context"
	"errors"
	"log"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"time"

	"github.com/ofmcast/ofmcast/mroute"
)

// receivers knows behind which interfaces somebody wants which group: what an IGMP querier, a cache or a configuration
// tells.
type receivers struct {
	mu     sync.Mutex
	wanted map[netip.Addr][]mroute.Out
}

// where is the Policy. It does not wait for anything but a lock that is held for a moment.
func (r *receivers) where(f mroute.Flow) mroute.Decision {
	r.mu.Lock()
	defer r.mu.Unlock()
	return mroute.Decision{Out: r.wanted[f.Group]}
}

func (r *receivers) set(group netip.Addr, out []mroute.Out) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted[group] = out
}

// Whoever changes what the Policy answers calls Refresh for the group: streams that flow already are routed anew.
func ExampleRouter_Refresh() {
	s, err := mroute.Open(mroute.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close() // which ends the routing
	rec := &receivers{wanted: map[netip.Addr][]mroute.Out{}}
	r, err := mroute.NewRouter(s, mroute.RouterConfig{
		Inputs:     []string{"eth0"},
		Policy:     rec.where,
		Boundaries: map[string][]netip.Prefix{"eth1": {netip.MustParsePrefix("239.255.0.0/16")}},
		MaxEntries: 10_000,
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()

	group := netip.MustParseAddr("239.1.1.1")
	rec.set(group, []mroute.Out{{Interface: "eth1"}, {Interface: "eth2", TTL: 16}})
	if err := r.Refresh(ctx, group); err != nil && !errors.Is(err, mroute.ErrEnded) {
		log.Print(err) // what the kernel refused is tried again with each tick
	}
	status, err := r.Status(ctx)
	if err != nil {
		log.Print(err)
	}
	for _, e := range status.Entries {
		log.Print(e, " ", e.Packets, " packets, negative: ", e.Negative())
	}
	if err := <-ended; err != nil {
		log.Fatal(err)
	}
}

// The next process goes on where this one stops, and no packet is lost. It is a child here; systemd's descriptor store
// does as well.
func ExampleSocket_Handover() {
	s, err := mroute.Open(mroute.Config{})
	if err != nil {
		log.Fatal(err)
	}
	f, err := s.Handover() // a Router's Run has ended before
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	next := exec.Command("/usr/sbin/mrouted", "-fd", "3")
	next.ExtraFiles = []*os.File{f}
	if err := next.Start(); err != nil {
		log.Fatal(err)
	}
	if err := next.Wait(); err != nil {
		log.Fatal(err)
	}
}

// The other side of a Handover: descriptor 3 is the routing socket, with the VIFs and routes that it had.
func ExampleFromFile() {
	f := os.NewFile(3, "mroute")
	s, err := mroute.FromFile(f, mroute.Config{})
	if errors.Is(err, mroute.ErrNotOwner) {
		log.Fatal("descriptor 3 routes nothing: ", err)
	}
	if err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil { // the Socket has a copy
		log.Fatal(err)
	}
	rec := &receivers{wanted: map[netip.Addr][]mroute.Out{}}
	r, err := mroute.NewRouter(s, mroute.RouterConfig{
		Inputs: []string{"eth0"}, Policy: rec.where,
		KeepFor: 5 * time.Minute, // receivers is empty yet: streams flow on meanwhile
	})
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(r.Run(context.Background()))
}
