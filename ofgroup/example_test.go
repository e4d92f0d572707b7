package ofgroup_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// A Service with three endpoints is one message, however its buckets came together.
func Example() {
	endpoints := []netip.AddrPort{
		netip.MustParseAddrPort("192.0.2.1:8080"),
		netip.MustParseAddrPort("192.0.2.2:8080"),
		netip.MustParseAddrPort("192.0.2.3:9090"),
	}
	g := ofgroup.New(7, ofgroup.Select)
	for _, ep := range endpoints {
		g = g.AddBuckets(ofgroup.NewBucket(
			ofgroup.Set(ofgroup.Reg(3), ep.Addr()),
			ofgroup.Set(ofgroup.Reg(4).Bits(0, 15), ep.Port()),
			ofgroup.Resubmit(6),
		).WithWeight(100))
	}

	sw := ofgrouptest.NewRecorder(ofgroup.OpenFlow15) // or a connection of package ofconn
	if _, err := g.Commit(context.Background(), sw); err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range sw.Mods() {
		fmt.Println(m.Len(), "bytes:", m)
	}
	// Output:
	// 216 bytes: add_or_mod group_id=7,type=select,bucket=weight:100,actions=set_field:0xc0000201->reg3,set_field:0x1f90/0xffff->reg4,resubmit(,6),bucket=weight:100,actions=set_field:0xc0000202->reg3,set_field:0x1f90/0xffff->reg4,resubmit(,6),bucket=weight:100,actions=set_field:0xc0000203->reg3,set_field:0x2382/0xffff->reg4,resubmit(,6)
}

// A group is a value; a table sends the one message that makes the switch hold it, or none.
func ExampleTable_Sync() {
	member := func(p ofgroup.Port) ofgroup.Bucket {
		return ofgroup.NewBucket(ofgroup.Output(p)).WithKey(p.String())
	}
	sw := ofgrouptest.NewRecorder(ofgroup.OpenFlow15) // or a connection of ofgroup/ofconn
	table := ofgroup.NewTable(sw, ofgroup.TableConfig{})
	g := ofgroup.New(7, ofgroup.All).AddBuckets(member(1), member(2)) // a value: nothing is sent
	for _, wanted := range []ofgroup.Group{g, g, g.AddBuckets(member(3))} {
		if _, err := table.Sync(context.Background(), wanted); err != nil {
			fmt.Println(err)
		}
	}
	for _, m := range sw.Mods() {
		fmt.Println(m)
	}
	// Output:
	// add_or_mod group_id=7,type=all,bucket=bucket_id:0,actions=output:1,bucket=bucket_id:1,actions=output:2
	// insert_bucket group_id=7,command_bucket_id=last,bucket=bucket_id:2,actions=output:3
}

// A multicast group sends a packet to every member port. A port that joins is a new value;
// the old one stays what it was.
func ExampleGroup_AddBuckets() {
	g := ofgroup.New(9, ofgroup.All)
	for _, port := range []ofgroup.Port{1, 2} {
		g = g.AddBuckets(ofgroup.NewBucket(ofgroup.Output(port)))
	}
	joined := g.AddBuckets(ofgroup.NewBucket(ofgroup.Output(3)))
	fmt.Println(g)
	fmt.Println(joined)
	// Output:
	// group_id=9,type=all,bucket=actions=output:1,bucket=actions=output:2
	// group_id=9,type=all,bucket=actions=output:1,bucket=actions=output:2,bucket=actions=output:3
}

// A group that a switch would refuse is refused before it is sent, and the error tells
// which bucket and why.
func ExampleGroup_Mod_refused() {
	g := ofgroup.New(7, ofgroup.All).AddBuckets(
		ofgroup.NewBucket(ofgroup.Output(1)),
		ofgroup.NewBucket(ofgroup.Output(2)).WithWeight(100),
	)
	_, err := g.Mod(ofgroup.Add, ofgroup.OpenFlow15)
	fmt.Println(err)
	fmt.Println(errors.Is(err, ofgroup.ErrWeight))
	// Output:
	// ofgroup: add group 7: bucket 1: weight outside a select group: weight 100 in type all
	// true
}
