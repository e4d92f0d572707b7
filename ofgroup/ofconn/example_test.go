package ofconn_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// A real switch is dialled at its management socket or its TCP port:
//
//	Dial: func(ctx context.Context) (net.Conn, error) {
//		var d net.Dialer
//		return d.DialContext(ctx, "unix", "/var/run/openvswitch/br0.mgmt")
//	}
func Example() {
	ctx := context.Background()
	sw := ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
	defer sw.Close()
	session, err := ofconn.Open(ctx, ofconn.Config{Dial: sw.Dial})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()

	group := ofgroup.New(7, ofgroup.All).AddBuckets(
		ofgroup.NewBucket(ofgroup.Output(1)),
		ofgroup.NewBucket(ofgroup.Output(2)),
	)
	receipt, err := group.Commit(ctx, session)
	fmt.Println("confirmed:", receipt.Confirmed, err)

	held, ok, err := session.GroupDesc(ctx, 7)
	fmt.Println("held:", ok && held.Equal(group), err)

	add, err := group.Mod(ofgroup.Add, session.Version())
	if err == nil {
		_, err = session.Send(ctx, add)
	}
	fmt.Println("exists:", errors.Is(err, ofgroup.ErrGroupExists))
	// Output:
	// confirmed: true <nil>
	// held: true <nil>
	// exists: true
}
