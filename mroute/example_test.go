package mroute_test

import (
	"context"
	"log"
	"net"
	"net/netip"

	"github.com/ofmcast/ofmcast/mroute"
)

// Everything that arrives at eth0 for 239.1.0.0/16 leaves at eth1.
func ExampleRouter() {
	s, err := mroute.Open(mroute.Config{})
	if err != nil {
		log.Fatal(err) // not root, or ErrInUse: another multicast router runs here
	}
	wanted := netip.MustParsePrefix("239.1.0.0/16")
	r, err := mroute.NewRouter(s, mroute.RouterConfig{Inputs: []string{"eth0"}, Policy: func(f mroute.Flow) mroute.Decision {
		if !wanted.Contains(f.Group) {
			return mroute.Decision{}
		}
		return mroute.Decision{Out: []mroute.Out{{Interface: "eth1"}}}
	}})
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(r.Run(context.Background()))
}

// The network beyond eth0 shall send a group here, from one source and then from any.
func ExampleJoiner() {
	eth0, err := net.InterfaceByName("eth0")
	if err != nil {
		log.Fatal(err)
	}
	j := mroute.NewJoiner()
	defer j.Close()

	m := mroute.Membership{Interface: mroute.IfIndex(eth0.Index), Group: netip.MustParseAddr("239.1.1.1")}
	if err := j.Set(m, mroute.Only(netip.MustParseAddr("198.51.100.1"))); err != nil {
		log.Fatal(err)
	}
	if err := j.Set(m, mroute.AnySource()); err != nil {
		log.Fatal(err)
	}
}

// A program that decides by itself reads the upcalls.
func ExampleSocket() {
	s, err := mroute.Open(mroute.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	in, err := s.AddVIF(2) // by the interface's index
	if err != nil {
		log.Fatal(err)
	}
	out, err := s.AddVIF(3)
	if err != nil {
		log.Fatal(err)
	}
	for {
		m, err := s.Read(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		if u, ok := m.(*mroute.Upcall); ok && u.Kind == mroute.NoCache && u.VIF == in {
			if err := s.AddRoute(mroute.Route{SG: u.SG, In: in, Out: []mroute.Hop{{VIF: out}}}); err != nil {
				log.Print(err)
			}
		}
	}
}
