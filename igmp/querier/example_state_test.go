package querier_test

import (
	"fmt"
	"log"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/querier"
)

// A switch without an address fills in where no router queries: with the source 0.0.0.0, in VLAN 10.
func ExampleConfig_proxy() {
	q, err := querier.New(querier.Config{
		MAC: mac, Addrs: []netip.Addr{netip.IPv4Unspecified()}, VLANs: []igmp.VLAN{{ID: 10}},
	})
	if err != nil {
		log.Fatal(err)
	}
	now := time.Now()
	var d igmp.Decoder
	for _, frame := range q.Advance(now) {
		v, err := d.Frame(frame)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("VLAN", v.VLANs()[0].ID, v.Src, ">", v.Dst)
	}

	// A router with an address, whichever it is, silences it.
	q.HandleQuery(querier.Heard{
		Src: netip.MustParseAddr("192.0.2.254"), Version: 2, Group: netip.IPv4Unspecified(), MaxResp: 10 * time.Second, At: now,
	})
	state := q.State()
	fmt.Println("querier:", state.Querier, state.Elected)
	fmt.Println("back in:", q.Next().Sub(now))
	// Output:
	// VLAN 10 0.0.0.0 > 224.0.0.1
	// querier: false 192.0.2.254
	// back in: 4m15s
}

// A switch was away, and hosts may have been forgotten meanwhile: they are asked at once.
func ExampleQuerier_Restart() {
	q, err := querier.New(querier.Config{MAC: mac, Addrs: []netip.Addr{ours}})
	if err != nil {
		log.Fatal(err)
	}
	start := time.Now()
	for now := start; now.Before(start.Add(time.Minute)); now = q.Next() {
		q.Advance(now)
	}
	back := start.Add(time.Minute)
	fmt.Println("due in", q.Next().Sub(back))
	if q.Restart() {
		fmt.Println("now", len(q.Advance(back)), "query, and one more in", q.Next().Sub(back))
	}
	// Output:
	// due in 1m36.25s
	// now 1 query, and one more in 31.25s
}

// An interface has got another address: with a new source a new election begins.
func ExampleQuerier_SetAddrs() {
	q, err := querier.New(querier.Config{
		MAC: mac, Addrs: []netip.Addr{ours},
		OnChange: func(s querier.State) { fmt.Println("querier is", s.Elected) },
	})
	if err != nil {
		log.Fatal(err)
	}
	q.Advance(time.Now())
	if err := q.SetAddrs([]netip.Addr{netip.MustParseAddr("192.0.2.3"), ours}); err != nil {
		log.Fatal(err)
	}
	// Output: querier is 192.0.2.3
}

// A cache learns the timing that is in force from State at the beginning and from OnChange later: mcast.Timing has
// the same fields, so that mcast.Timing(state.Timing) is all the glue.
func ExampleState() {
	q, err := querier.New(querier.Config{MAC: mac, Addrs: []netip.Addr{ours}, QI: time.Minute})
	if err != nil {
		log.Fatal(err)
	}
	t := q.State().Timing
	fmt.Println("RV", t.RV, "QI", t.QI, "QRI", t.QRI, "LMQI", t.LMQI, "LMQC", t.LMQC)
	fmt.Println("another querier counts for", t.OtherQuerierPresent())
	// Output:
	// RV 2 QI 1m0s QRI 10s LMQI 1s LMQC 2
	// another querier counts for 2m5s
}
