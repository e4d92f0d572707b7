package ofgroup_test

import (
	"context"
	"fmt"
	"slices"
	"sync"

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

// After a restart of the switch its groups are back before anybody hears of the connection,
// those that others use first.
func ExampleTable_Replay() {
	sw := ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
	defer sw.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var table *ofgroup.Table
	lost := make(chan error, 2)
	conn := ofconn.New(ofconn.Config{
		Dial:         sw.Dial,
		OnConnect:    func(ctx context.Context, s *ofconn.Session) error { return table.Replay(ctx, s) },
		OnDisconnect: func(cause error) { lost <- cause },
	})
	table = ofgroup.NewTable(conn, ofgroup.TableConfig{})
	var running sync.WaitGroup
	running.Go(func() { _ = conn.Run(ctx) })
	_ = conn.WaitConnected(ctx)

	_, _ = table.Commit(ctx, ofgroup.New(1, ofgroup.All).AddBuckets(ofgroup.NewBucket(ofgroup.OutputGroup(2))))
	_, _ = table.Commit(ctx, ofgroup.New(2, ofgroup.All).AddBuckets(ofgroup.NewBucket(ofgroup.Output(5))))
	sw.ResetCounts()
	sw.Restart()
	<-lost
	_ = conn.WaitConnected(ctx)
	for _, l := range sw.GroupModLog() {
		var m ofgroup.Mod
		_ = m.UnmarshalBinary(l.Message)
		fmt.Println(m.String())
	}
	cancel()
	running.Wait()
	// Output:
	// add_or_mod group_id=2,type=all,bucket=bucket_id:0,actions=output:5
	// add_or_mod group_id=1,type=all,bucket=bucket_id:0,actions=group:2
}

// Members come and go by one message each, and the others go on counting.
func ExampleTable_deltas() {
	ctx := context.Background()
	rec := ofgrouptest.NewRecorder(ofgroup.OpenFlow15)
	t := ofgroup.NewTable(rec, ofgroup.TableConfig{})
	member := func(p ofgroup.Port) ofgroup.Bucket {
		return ofgroup.NewBucket(ofgroup.Output(p)).WithKey(fmt.Sprint("port ", p))
	}
	g := ofgroup.New(7, ofgroup.All)
	_, _ = t.Sync(ctx, g.AddBuckets(member(1), member(2)))
	_, _ = t.Sync(ctx, g.AddBuckets(member(1), member(2), member(3)))
	_, _ = t.Sync(ctx, g.AddBuckets(member(3), member(2)))
	_, _ = t.Sync(ctx, g.AddBuckets(member(2), member(3)))
	_, _ = t.Sync(ctx, g.AddBuckets(member(3), member(4)))

	for _, m := range rec.Mods() {
		fmt.Println(m)
	}
	// Output:
	// add_or_mod group_id=7,type=all,bucket=bucket_id:0,actions=output:1,bucket=bucket_id:1,actions=output:2
	// insert_bucket group_id=7,command_bucket_id=last,bucket=bucket_id:2,actions=output:3
	// remove_bucket group_id=7,command_bucket_id=0
	// modify group_id=7,type=all,bucket=bucket_id:2,actions=output:3,bucket=bucket_id:3,actions=output:4
}

// An agent that restarts takes over what it left on the switch, brings it up to date, and
// deletes what it does not want any more; the groups of others stay.
func ExampleTable_Adopt() {
	ctx := context.Background()
	rec := ofgrouptest.NewRecorder(ofgroup.OpenFlow15)
	t := ofgroup.NewTable(rec, ofgroup.TableConfig{Owns: func(id ofgroup.ID) bool { return id < 1000 }})
	onSwitch := []ofgroup.Group{ // from ofconn's GroupDesc
		ofgroup.New(1, ofgroup.All).AddBuckets(ofgroup.NewBucket(ofgroup.Output(1))),
		ofgroup.New(2, ofgroup.All).AddBuckets(ofgroup.NewBucket(ofgroup.Output(2))),
		ofgroup.New(9000, ofgroup.All),
	}
	t.Adopt(onSwitch, ofgroup.Full)

	wanted := ofgroup.New(1, ofgroup.All).AddBuckets(
		ofgroup.NewBucket(ofgroup.Output(1)).WithKey("a"),
		ofgroup.NewBucket(ofgroup.Output(5)).WithKey("b"),
	)
	_, _ = t.Sync(ctx, wanted)
	gone, _ := t.Prune(ctx, slices.Values([]ofgroup.ID{wanted.ID()}))

	for _, m := range rec.Mods() {
		fmt.Println(m)
	}
	fmt.Println(len(gone), "pruned")
	// Output:
	// insert_bucket group_id=1,command_bucket_id=last,bucket=bucket_id:1,actions=output:5
	// delete group_id=2
	// 1 pruned
}

// A plan is printed before it is carried out.
func ExamplePlanReconcile() {
	out := func(p ofgroup.Port) ofgroup.Bucket { return ofgroup.NewBucket(ofgroup.Output(p)) }
	observed := []ofgroup.Group{
		ofgroup.New(1, ofgroup.All).AddBuckets(out(1)),
		ofgroup.New(3, ofgroup.All).AddBuckets(out(3)),
	}
	desired := []ofgroup.Group{
		ofgroup.New(1, ofgroup.All).AddBuckets(ofgroup.NewBucket(ofgroup.OutputGroup(2))),
		ofgroup.New(2, ofgroup.All).AddBuckets(out(1), out(2)),
	}
	plan, err := ofgroup.PlanReconcile(ofgroup.OpenFlow15, desired, observed)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(plan)

	rec := ofgrouptest.NewRecorder(ofgroup.OpenFlow15)
	t := ofgroup.NewTable(rec, ofgroup.TableConfig{})
	t.Adopt(observed, ofgroup.Full)
	outcomes, err := t.Apply(context.Background(), plan)
	fmt.Println(len(outcomes), "steps,", len(rec.Mods()), "messages,", err)
	// Output:
	// add group_id=2,type=all,bucket=actions=output:1,bucket=actions=output:2
	// modify group_id=1,type=all,bucket=actions=group:2
	// delete group_id=3
	// 3 steps, 3 messages, <nil>
}
