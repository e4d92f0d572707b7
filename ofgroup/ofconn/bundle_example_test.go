package ofconn_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// A group and the flow that uses it come together, or neither does.
func ExampleConn_Bundle() {
	conn := ofconn.New(ofconn.Config{ /* Dial: … */ })
	group := ofgroup.New(7, ofgroup.All).AddBuckets(ofgroup.NewBucket(ofgroup.Output(1)))
	add, err := group.Mod(ofgroup.AddOrMod, conn.Version())
	if err != nil {
		fmt.Println(err)
		return
	}
	flow := ofconn.FlowMod{Match: ofgroup.NewMatch(ofgroup.IsIPv4()), Actions: []ofgroup.Action{ofgroup.OutputGroup(7)}}

	err = conn.Bundle(context.Background(), ofconn.GroupMod{Mod: add}, flow)

	var bad *ofconn.BundleError
	switch {
	case errors.As(err, &bad):
		fmt.Println("nothing is done because of message", bad.Index)
	case errors.Is(err, ofgroup.ErrNotSent):
		fmt.Println("nothing is done:", errors.Is(err, ofgroup.ErrDisconnected))
	}
	// Output: nothing is done: true
}
