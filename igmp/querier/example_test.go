package querier_test

import (
	"fmt"
	"log"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/querier"
)

var (
	mac  = igmp.MAC{2, 0, 0, 0, 0, 9}
	ours = netip.MustParseAddr("192.0.2.9")
)

// Five minutes of a link, with a clock that costs no time: we query, a better one comes, and goes.
func Example() {
	start := time.Now()
	q, err := querier.New(querier.Config{
		MAC: mac, Addrs: []netip.Addr{ours},
		OnChange: func(s querier.State) { fmt.Println("         querier is", s.Elected) },
	})
	if err != nil {
		log.Fatal(err)
	}
	until := func(end time.Time) {
		for now := start; !now.After(end); now = q.Next() {
			for _, frame := range q.Advance(now) {
				fmt.Printf("%6.2f s general query, %d bytes\n", now.Sub(start).Seconds(), len(frame))
			}
		}
	}
	heard := start.Add(40 * time.Second)
	until(heard)
	q.HandleQuery(querier.Heard{
		Src: netip.MustParseAddr("192.0.2.1"), Version: 3, Group: netip.IPv4Unspecified(),
		MaxResp: 10 * time.Second, QRV: 2, QQI: 60 * time.Second, At: heard,
	})
	until(start.Add(300 * time.Second))
	// Output:
	//   0.00 s general query, 50 bytes
	//  31.25 s general query, 50 bytes
	//          querier is 192.0.2.1
	//          querier is 192.0.2.9
	// 165.00 s general query, 50 bytes
	// 290.00 s general query, 50 bytes
}

// A program has one goroutine for a Querier; what others want of it comes over channels.
func ExampleQuerier_Next() {
	q, err := querier.New(querier.Config{MAC: mac, Addrs: []netip.Addr{ours}})
	if err != nil {
		log.Fatal(err)
	}
	queries := make(chan querier.Heard) // from who reads packets
	stop := make(chan struct{})
	send := func(frame []byte) { close(stop) }

	timer := time.NewTimer(0)
	for running := true; running; {
		select {
		case <-timer.C:
			for _, frame := range q.Advance(time.Now()) {
				send(frame)
			}
		case h := <-queries:
			q.HandleQuery(h)
		case <-stop:
			running = false
		}
		timer.Reset(time.Until(q.Next()))
	}
	fmt.Println("sent:", q.Counters().GeneralQueries)
	// Output: sent: 1
}

// A cache asks about the sources that somebody no longer wants; a sender without Ethernet needs the payload alone.
func ExampleQuerier_Specific() {
	q, err := querier.New(querier.Config{MAC: mac, Addrs: []netip.Addr{ours}})
	if err != nil {
		log.Fatal(err)
	}
	sources := []netip.Addr{netip.MustParseAddr("198.51.100.1")}
	frames, err := q.Specific(netip.MustParseAddr("232.1.1.1"), sources, false, time.Second)
	if err != nil {
		log.Fatal(err)
	}
	var d igmp.Decoder
	for _, frame := range frames {
		v, err := d.Frame(frame)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v > %v: %x\n", v.Src, v.Dst, v.Payload())
	}
	// Output: 192.0.2.9 > 232.1.1.1: 110ad93fe8010101027d0001c6336401
}
