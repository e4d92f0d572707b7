package mroute_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/mroute"
)

// Before anything is routed: what would keep the packets of this stream away without a word?
func ExampleCheck() {
	findings, err := mroute.Check(context.Background(), mroute.CheckConfig{
		Inputs:  []string{"eth0"},
		Outputs: []string{"eth1"},
		Flows:   []mroute.Flow{{Source: netip.MustParseAddr("198.51.100.1"), In: "eth0"}},
		Listen:  time.Second,
	})
	if err != nil {
		log.Print("not everything could be looked at: ", err)
	}
	for _, f := range findings {
		if f.Blocks {
			log.Printf("%v at %s: %s; %s", f.Problem, f.Interface, f.Detail, f.Remedy)
		}
	}
}

// Whatever changes the table, this program or another, a Monitor tells of it. After ErrMissed a dump has what there is.
func ExampleSocket_Monitor() {
	s, err := mroute.Open(mroute.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	m, err := s.Monitor()
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	for {
		change, err := m.Next(context.Background())
		switch {
		case errors.Is(err, mroute.ErrMissed):
			routes, err := s.Dump()
			if err != nil {
				log.Fatal(err)
			}
			for _, r := range routes {
				log.Print("there is ", r.Route(), " idle for ", r.Idle)
			}
		case err != nil:
			log.Fatal(err)
		case change.Deleted:
			log.Print("gone: ", change.SG)
		default:
			log.Print("made: ", change.Route())
		}
	}
}

// What a read of the routing socket gave, here of another program's: a struct igmpmsg in the place of an IP header.
func ExampleParseMessage() {
	b, err := hex.DecodeString("4500001c0000000001000100c6336401e9fc00010100000000000000")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := mroute.ParseMessage(b, func(v mroute.VIF) bool { return v < 2 })
	if err != nil {
		fmt.Println(err)
		return
	}
	switch m := m.(type) {
	case *mroute.Upcall:
		fmt.Println(m)
	case *mroute.IGMP:
		fmt.Printf("IGMP from %v to %v: %x\n", m.Source, m.Destination, m.Payload)
	}
	// Output: NOCACHE (198.51.100.1, 233.252.0.1) at VIF 1
}

// Routes print as people write them. One without a source is for any; one without an Out drops and counts.
func ExampleRoute() {
	source, group := netip.MustParseAddr("198.51.100.1"), netip.MustParseAddr("233.252.0.1")
	for _, r := range []mroute.Route{
		{SG: mroute.SG{Source: source, Group: group}, In: 0, Out: []mroute.Hop{{VIF: 1}, {VIF: 2, TTL: 16}}},
		{SG: mroute.SG{Source: source, Group: group}, In: 0},
		{SG: mroute.SG{Source: netip.IPv4Unspecified(), Group: group}, In: 0, Out: []mroute.Hop{{VIF: 1}}},
	} {
		fmt.Println(r)
	}
	// Output:
	// (198.51.100.1, 233.252.0.1) 0 > 1 2/16
	// (198.51.100.1, 233.252.0.1) 0 >
	// (*, 233.252.0.1) 0 > 1
}

// A join of any source, of some, of all but some, and a leave.
func ExampleFilter() {
	a := netip.MustParseAddr("198.51.100.1")
	for _, f := range []mroute.Filter{
		mroute.AnySource(), mroute.Only(a), {Exclude: true, Sources: []netip.Addr{a}}, {},
	} {
		fmt.Println(f, f.IsNone())
	}
	// Output:
	// EXCLUDE[] false
	// INCLUDE[198.51.100.1] false
	// EXCLUDE[198.51.100.1] false
	// INCLUDE[] true
}

// Two parts of one program want a group; it is left when neither does.
func ExampleJoiner_Leave() {
	j := mroute.NewJoiner()
	defer j.Close()
	group := netip.MustParseAddr("239.1.1.1")
	tv := mroute.Membership{Interface: 2, Group: group, Holder: "tv"}
	radio := mroute.Membership{Interface: 2, Group: group, Holder: "radio"}
	for _, m := range []mroute.Membership{tv, radio} {
		if err := j.Set(m, mroute.AnySource()); err != nil {
			log.Print(err) // the wish stands: Rejoin, or the next Set there, tries again
		}
	}
	if err := j.Leave(tv); err != nil {
		log.Print(err)
	}
	for m, f := range j.Memberships() {
		log.Print(m.Holder, " wants ", m.Group, f)
	}
}

// A second multicast router in one network namespace has a table of its own, and a rule that sends packets there.
func ExampleSocket_AddRule() {
	s, err := mroute.Open(mroute.Config{Table: 100})
	if errors.Is(err, mroute.ErrInUse) {
		log.Fatal("somebody has this table too: ", err)
	}
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close() // which removes the rule too
	if err := s.AddRule("eth0"); err != nil {
		log.Fatal(err)
	}
}
