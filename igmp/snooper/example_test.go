package snooper_test

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/snooper"
)

// frame stands for what a switch hands out.
func frame(h igmp.Header, m igmp.Message) []byte {
	b, err := igmp.AppendFrame(nil, h, m)
	if err != nil {
		panic(err) // an example's own mistake
	}
	return b
}

// A router asks on port 1, a host answers on port 2. Frames come from a switch; here they are made.
func Example() {
	router := igmp.Header{EthSrc: igmp.MAC{2, 0, 0, 0, 0, 0xfe}, Src: netip.MustParseAddr("192.0.2.254")}
	host := igmp.Header{EthSrc: igmp.MAC{2, 0, 0, 0, 0, 1}, Src: netip.MustParseAddr("192.0.2.1")}
	query := frame(router, &igmp.Query{Version: 3, Group: netip.IPv4Unspecified(), MaxResp: 10 * time.Second})
	report := frame(host, &igmp.ReportV2{Group: netip.MustParseAddr("239.1.1.1")})

	s := snooper.New(snooper.Config{})
	at := time.Now()
	r := s.Frame(1, query, at)
	fmt.Println("the query goes to:", r.Forward)

	r = s.Frame(2, report, at)
	for _, rec := range r.Records {
		fmt.Printf("port %d, host %v: %v %v %v (IGMPv%d)\n", rec.Port, rec.Host.Addr, rec.Kind, rec.Group, rec.Sources, rec.Version)
	}
	fmt.Print("the report goes to ", r.Forward, ", which are on ports:")
	for p := range s.RouterPorts(r.VLAN) {
		fmt.Print(" ", p)
	}
	fmt.Println()
	// Output:
	// the query goes to: all
	// port 2, host 192.0.2.1: IS_EX 239.1.1.1 [] (IGMPv2)
	// the report goes to routers, which are on ports: 1
}

// Tenants may join one range of groups, and no port may send more than 100 reports a second. A membership that was
// allowed before ends with the next report.
func ExampleValidator() {
	tenants := netip.MustParsePrefix("239.1.0.0/16")
	s := snooper.New(snooper.Config{
		Limits: snooper.Limits{FramesPerSecond: 100},
		Validator: func(rec snooper.Record) snooper.Decision {
			if tenants.Contains(rec.Group) {
				return snooper.Allow
			}
			return snooper.TreatAsLeave
		},
	})
	host := igmp.Header{EthSrc: igmp.MAC{2, 0, 0, 0, 0, 1}, Src: netip.MustParseAddr("192.0.2.1")}
	for _, group := range []string{"239.1.1.1", "239.2.2.2"} {
		r := s.Frame(2, frame(host, &igmp.ReportV2{Group: netip.MustParseAddr(group)}), time.Now())
		fmt.Printf("%v: %v; goes to: %v\n", r.Verdict, r.Records[0].Kind, r.Forward)
	}
	// Output:
	// accepted report: IS_EX; goes to: routers
	// accepted as a leave: TO_IN; goes to: none
}

// Where nobody but hosts of this network should be heard, and only if they do as the standards say.
func ExampleStrictChecks() {
	checks := snooper.StrictChecks()
	checks.Unspecified = snooper.CheckOff // hosts without an address yet are welcome
	checks.Subnets = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	s := snooper.New(snooper.Config{Checks: checks})

	forged := igmp.Header{
		EthSrc: igmp.MAC{2, 0, 0, 0, 0, 1}, EthDst: igmp.MAC{2, 0, 0, 0, 0, 0xfe},
		Src: netip.MustParseAddr("203.0.113.5"), Dst: netip.MustParseAddr("192.0.2.254"), TTL: 64,
	}
	r := s.Frame(1, frame(forged, &igmp.Leave{Group: netip.MustParseAddr("239.1.1.1")}), time.Now())
	fmt.Println(r.Verdict)
	// Output:
	// ignored: TTL is not 1
}

// An agent that was told which port leads to its router believes no other.
func ExampleSnooper_SetRole() {
	s := snooper.New(snooper.Config{})
	s.SetRole(1, snooper.Router)
	for port := snooper.Port(2); port <= 4; port++ {
		s.SetRole(port, snooper.Member)
	}
	tenant := igmp.Header{EthSrc: igmp.MAC{2, 0, 0, 0, 0, 3}, Src: netip.MustParseAddr("192.0.2.3")}
	query := frame(tenant, &igmp.Query{Version: 2, Group: netip.IPv4Unspecified(), MaxResp: time.Second})
	r := s.Frame(3, query, time.Now())
	fmt.Printf("%v; goes to: %v\n", r.Verdict, r.Forward)

	counters := s.Counters()
	for verdict, n := range counters.Frames.All() {
		if n > 0 {
			fmt.Println(verdict, n)
		}
	}
	// Output:
	// ignored: query on a member port; goes to: none
	// ignored: query on a member port 1
}
