package ofconn_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// A switch that starts again has lost everything. OnConnect gives it back before
// anybody else can send.
func ExampleConn() {
	ctx, cancel := context.WithCancel(context.Background())
	sw := ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
	defer sw.Close()
	group := ofgroup.New(7, ofgroup.All).AddBuckets(ofgroup.NewBucket(ofgroup.Output(1)))
	lost := make(chan struct{}, 1)
	conn := ofconn.New(ofconn.Config{
		Dial: sw.Dial,
		OnConnect: func(ctx context.Context, s *ofconn.Session) error {
			_, err := group.Commit(ctx, s)
			return err
		},
		OnDisconnect: func(error) { lost <- struct{}{} },
	})
	_, err := group.Commit(ctx, conn)
	fmt.Println("not sent:", errors.Is(err, ofgroup.ErrNotSent))

	ended := make(chan error, 1)
	go func() { ended <- conn.Run(ctx) }()
	fmt.Println("connected:", conn.WaitConnected(ctx))
	sw.Restart()
	<-lost
	fmt.Println("connected again:", conn.WaitConnected(ctx))
	held, ok, err := conn.GroupDesc(ctx, 7)
	fmt.Println("held:", ok && held.Equal(group), err)

	cancel()
	fmt.Println("ended:", <-ended)
	// Output:
	// not sent: true
	// connected: <nil>
	// connected again: <nil>
	// held: true <nil>
	// ended: <nil>
}
