package ofgroup_test

import (
	"context"
	"fmt"
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
