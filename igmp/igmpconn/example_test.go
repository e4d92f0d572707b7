package igmpconn_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	go func() { // which a program that hears other queriers does not leave to a goroutine of its own
		for timer := time.NewTimer(0); ; timer.Reset(time.Until(q.Next())) {
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			for _, frame := range q.Advance(time.Now()) {
				if err := conn.Send(frame); err != nil {
					log.Print(err)
				}
			}
		}
	}()
	s := snooper.New(snooper.Config{})
	for {
		frame, err := conn.Read(ctx)
		switch {
		case errors.Is(err, igmpconn.ErrDown):
			log.Print(err)
			continue
		case errors.Is(err, context.Canceled):
			return
		case err != nil:
			log.Print(err)
			return
		}
		for _, rec := range s.Frame(1, frame.Data, frame.At).Records {
			fmt.Println(rec.Host.Addr, rec.Kind, rec.Group, rec.Sources)
		}
	}
}

// A program that survives the interface: while it is down it waits, and when it was deleted it listens again once
// there is one of that name.
func ExampleConn_Read() {
	read := func(ctx context.Context, conn *igmpconn.Conn) error {
		for {
			frame, err := conn.Read(ctx)
			switch {
			case errors.Is(err, igmpconn.ErrDown):
				log.Print(err) // said once; Read waits for it to be up again
			case err != nil:
				return err
			default:
				fmt.Println(frame.At, len(frame.Data))
			}
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for ctx.Err() == nil {
		conn, err := igmpconn.Listen("eth0", igmpconn.Config{})
		if errors.Is(err, igmpconn.ErrNoInterface) {
			time.Sleep(time.Second)
			continue
		}
		if err != nil {
			log.Fatal(err) // os.ErrPermission without CAP_NET_RAW, errors.ErrUnsupported elsewhere than on Linux
		}
		err = read(ctx, conn)
		if stats, err := conn.Stats(); err == nil && stats.Dropped > 0 {
			log.Print(stats.Dropped, " frames found the buffer full")
		}
		if err := conn.Close(); err != nil {
			log.Print(err)
		}
		if !errors.Is(err, igmpconn.ErrGone) {
			log.Print(err)
			return
		}
	}
}

// An error names the interface, and says by errors.Is what is wrong with it.
func ExampleLinkByName() {
	_, err := igmpconn.LinkByName("no-such-0")
	var failed *igmpconn.Error
	if errors.As(err, &failed) && errors.Is(err, igmpconn.ErrNoInterface) {
		fmt.Println("cannot", failed.Op, failed.Interface)
	}
	// Output: cannot look up no-such-0
}
