package ofgroup_test

import (
	"context"
	"fmt"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// A table knows which one message makes a change, and that no message makes none.
func ExampleTable() {
	ctx := context.Background()
	sw := ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
	defer sw.Close()
	session, err := ofconn.Open(ctx, ofconn.Config{Dial: sw.Dial})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()

	t := ofgroup.NewTable(session, ofgroup.TableConfig{})
	id, _ := t.Allocate()
	g := ofgroup.New(id, ofgroup.All).AddBuckets(
		ofgroup.NewBucket(ofgroup.Output(1)),
		ofgroup.NewBucket(ofgroup.Output(2)),
	)
	_, _ = t.Sync(ctx, g)
	_, _ = t.Sync(ctx, g)
	_, _ = t.Sync(ctx, g.AddBuckets(ofgroup.NewBucket(ofgroup.Output(3))))
	_ = t.Delete(ctx, id)

	for _, l := range sw.GroupModLog() {
		var m ofgroup.Mod
		_ = m.UnmarshalBinary(l.Message)
		fmt.Println(m.String())
	}
	// Output:
	// add_or_mod group_id=1,type=all,bucket=bucket_id:0,actions=output:1,bucket=bucket_id:1,actions=output:2
	// modify group_id=1,type=all,bucket=bucket_id:0,actions=output:1,bucket=bucket_id:1,actions=output:2,bucket=bucket_id:2,actions=output:3
	// delete group_id=1
}
