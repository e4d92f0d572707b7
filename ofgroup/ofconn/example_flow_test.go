package ofconn_test

import (
	"fmt"
	"net/netip"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// IGMP of port 2 goes to the agent that has the controller ID 7, at the rate of a
// meter, and one multicast group through an OpenFlow group.
func ExampleFlowMod() {
	const ours = 0x6f666d63 << 32
	ip := ofgroup.NewMatch(ofgroup.IsIPv4())
	for _, m := range []fmt.Stringer{
		ofconn.MeterMod{ID: 12, Rate: 100, Burst: 20},
		ofconn.FlowMod{
			Table: 100, Priority: 305, Cookie: ours,
			Match: ip.With(ofgroup.Is(ofgroup.IPProto, 2), ofgroup.Is(ofgroup.InPort, 2)),
			Actions: []ofgroup.Action{
				ofgroup.Meter(12),
				ofgroup.Controller(ofgroup.PacketInAction{ID: 7, UserData: []byte{1}}),
			},
		},
		ofconn.FlowMod{
			Table: 101, Priority: 100, Cookie: ours,
			Match:   ip.With(ofgroup.Within(ofgroup.IPDst, netip.MustParsePrefix("239.1.1.1/32"))),
			Actions: []ofgroup.Action{ofgroup.OutputGroup(1000)},
		},
		ofconn.FlowMod{
			Command: ofconn.FlowDelete, Table: ofconn.AllTables, Cookie: ours, CookieMask: 0xffffffff << 32,
		},
	} {
		fmt.Println(m)
	}
	// Output:
	// add meter=12,pktps,burst,bands=type=drop,rate=100,burst_size=20
	// add cookie=0x6f666d6300000000,table=100,priority=305,in_port=2,ip,nw_proto=2,actions=meter:12,controller(id=7,userdata=01)
	// add cookie=0x6f666d6300000000,table=101,priority=100,ip,ip_dst=239.1.1.1,actions=group:1000
	// delete cookie=0x6f666d6300000000/0xffffffff00000000
}
