package ofgrouptest_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// A recorder confirms what it is given, and shows it.
func ExampleRecorder() {
	rec := ofgrouptest.NewRecorder(ofgroup.OpenFlow15)
	g := ofgroup.New(7, ofgroup.All).AddBuckets(ofgroup.NewBucket(ofgroup.Output(1)))
	if _, err := g.Commit(context.Background(), rec); err != nil {
		fmt.Println(err)
	}
	for _, m := range rec.Mods() {
		fmt.Println(m)
	}
	// Output: add_or_mod group_id=7,type=all,bucket=actions=output:1
}

// The switch refuses what Open vSwitch does, and the connection tells whose message it was.
func ExampleSwitch() {
	ctx := context.Background()
	sw := ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
	defer sw.Close()
	session, err := ofconn.Open(ctx, ofconn.Config{Dial: sw.Dial})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()

	add, err := ofgroup.New(7, ofgroup.All).Mod(ofgroup.Add, ofgroup.OpenFlow15)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		_, err = session.Send(ctx, add)
		fmt.Println(errors.Is(err, ofgroup.ErrGroupExists))
	}
	// Output:
	// false
	// true
}
