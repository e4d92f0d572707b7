package igmpconn_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/ofmcast/ofmcast/igmp/igmpconn"
	"github.com/ofmcast/ofmcast/igmp/querier"
	"github.com/ofmcast/ofmcast/igmp/snooper"
)

// One goroutine asks, another shows what hosts answer.
func Example() {
	link, err := igmpconn.LinkByName("eth0")
	if err != nil {
		log.Fatal(err)
	}
	conn, err := igmpconn.Listen(link.Name, igmpconn.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	q, err := querier.New(querier.Config{MAC: link.MAC, Addrs: link.Addrs, MTU: link.MTU})
	if err != nil {
		log.Fatal(err)
	}
	go func() { // which a program that hears other queriers does not leave to a goroutine of its own
		for {
			for _, frame := range q.Advance(time.Now()) {
				if err := conn.Send(frame); err != nil {
					log.Print(err)
				}
			}
			time.Sleep(time.Until(q.Next()))
		}
	}()
	s := snooper.New(snooper.Config{})
	for {
		frame, err := conn.Read(context.Background())
		switch {
		case errors.Is(err, igmpconn.ErrDown):
			log.Print(err)
			continue
		case err != nil:
			log.Fatal(err)
		}
		for _, rec := range s.Frame(1, frame.Data, frame.At).Records {
			fmt.Println(rec.Host.Addr, rec.Kind, rec.Group, rec.Sources)
		}
	}
}
