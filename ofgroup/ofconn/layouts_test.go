package ofconn_test

import (
	. "github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// layoutFlow is a flow of a multicast agent, as one types it and as we say it.
type layoutFlow struct {
	typed string // for ovs-ofctl add-flow
	mod   ofconn.FlowMod
}

// layoutCookie marks the flows of the layouts.
const layoutCookie = 0x6f666d63 << 32

func layout(typed string, table uint8, priority uint16, m Match, a ...Action) layoutFlow {
	return layoutFlow{"cookie=0x6f666d6300000000," + typed, ofconn.FlowMod{
		Table: table, Priority: priority, Cookie: layoutCookie, Match: m, Actions: a,
	}}
}

var (
	allMcast = Within(IPDst, prefix("224.0.0.0/4"))
	local    = Within(IPDst, prefix("224.0.0.0/24"))
	group1   = Within(IPDst, prefix("239.1.1.1/32"))
	source1  = Within(IPSrc, prefix("192.0.2.1/32"))
	igmp     = Is(IPProto, 2)
)

func from(p Port) Condition { return Is(InPort, p) }

// caught hands a packet to the agent, with what it was caught by.
func caught(by byte) Action {
	return Controller(PacketInAction{ID: 7, MaxLen: 0xffff, UserData: []byte{by}})
}

// layoutA is one segment whose outside is reached through a gateway port.
var layoutA = []layoutFlow{
	layout("table=0,priority=200,ip,nw_dst=224.0.0.0/4,vlan_tci=0x0000/0x1fff,actions=resubmit(,100)",
		0, 200, ip(allMcast, IsUntagged()), Resubmit(100)),
	layout("table=0,priority=200,ip,nw_dst=224.0.0.0/4,dl_vlan=0,actions=pop_vlan,resubmit(,100)", // a priority tag
		0, 200, ip(allMcast, IsVLAN(0)), PopVLAN(), Resubmit(100)),
	layout("table=100,priority=310,ip,nw_proto=2,in_port=100,actions=drop",
		100, 310, ip(igmp, from(100))),
	layout("table=100,priority=305,ip,nw_proto=2,in_port=2,actions=meter:12,controller(id=7,max_len=65535,userdata=01)",
		100, 305, ip(igmp, from(2)), Meter(12), caught(1)),
	layout("table=100,priority=300,ip,nw_proto=2,actions=drop",
		100, 300, ip(igmp)),
	layout("table=100,priority=200,ip,nw_dst=224.0.0.0/24,actions=group:2",
		100, 200, ip(local), OutputGroup(2)),
	layout("table=100,priority=0,ip,actions=resubmit(,101)",
		100, 0, ip(), Resubmit(101)),
	layout("table=101,priority=100,ip,nw_dst=239.1.1.1,actions=group:1000",
		101, 100, ip(group1), OutputGroup(1000)),
	layout("table=101,priority=0,ip,actions=group:3",
		101, 0, ip(), OutputGroup(3)),
}

// layoutB adds a router port.
var layoutB = []layoutFlow{
	layout("table=100,priority=330,ip,nw_proto=2,in_port=5,nw_dst=224.0.0.1,actions=group:1,controller(id=7,userdata=01)",
		100, 330, ip(igmp, from(5), Within(IPDst, prefix("224.0.0.1/32"))), OutputGroup(1), caught(1)),
	layout("table=100,priority=320,ip,nw_proto=2,in_port=5,actions=controller(id=7)",
		100, 320, ip(igmp, from(5)), Controller(PacketInAction{ID: 7})),
	layout("table=100,priority=306,ip,nw_proto=103,nw_dst=224.0.0.13,actions=group:2,controller(id=7,max_len=65535,userdata=02)",
		100, 306, ip(Is(IPProto, 103), Within(IPDst, prefix("224.0.0.13/32"))), OutputGroup(2), caught(2)),
	layout("table=101,priority=100,ip,nw_dst=239.1.1.2,actions=group:1000,group:4",
		101, 100, ip(Within(IPDst, prefix("239.1.1.2/32"))), OutputGroup(1000), OutputGroup(4)),
}

// layoutC adds tunnels to other nodes.
var layoutC = []layoutFlow{
	layout("table=0,priority=210,in_port=50,ip,nw_dst=224.0.0.0/4,actions=set_field:3->reg1,resubmit(,100)",
		0, 210, ip(allMcast, from(50)), Set(Reg(1), 3), Resubmit(100)),
	layout("table=101,priority=10,ip,reg1=3,actions=drop", 101, 10, ip(Is(Reg(1), 3))),
	layout("table=101,priority=11,reg2=0x30/0xf0,tun_id=5,actions=drop", 101, 11, NewMatch(Is(Reg(2).Bits(4, 7), 3), Is(TunID, 5))),
	layout("table=110,priority=10,reg1=3,actions=drop", 110, 10, NewMatch(Is(Reg(1), 3))),
	layout("table=110,priority=0,actions=output:100", 110, 0, Match{}, Output(100)),
}

// layoutD has flows for the sources that members filter.
var layoutD = []layoutFlow{
	layout("table=101,priority=110,ip,nw_src=192.0.2.1,nw_dst=239.1.1.1,actions=group:1001",
		101, 110, ip(group1, source1), OutputGroup(1001)),
}

// layoutE has VLANs.
var layoutE = []layoutFlow{
	layout("table=0,priority=200,in_port=1,ip,nw_dst=224.0.0.0/4,vlan_tci=0x0000/0x1fff,actions=set_field:10->reg0,resubmit(,100)",
		0, 200, ip(allMcast, from(1), IsUntagged()), Set(Reg(0), 10), Resubmit(100)),
	layout("table=0,priority=200,in_port=3,ip,nw_dst=224.0.0.0/4,dl_vlan=10,actions=set_field:10->reg0,pop_vlan,resubmit(,100)",
		0, 200, ip(allMcast, from(3), IsVLAN(10)), Set(Reg(0), 10), PopVLAN(), Resubmit(100)),
	layout("table=0,priority=190,ip,nw_dst=224.0.0.0/4,actions=drop", 0, 190, ip(allMcast)),
	layout("table=101,priority=100,ip,reg0=10,nw_dst=239.1.1.1,actions=push_vlan:0x8100,set_field:4106->vlan_vid,output:3",
		101, 100, ip(group1, Is(Reg(0), 10)), PushVLAN(TPID8021Q), Set(VLANVID, 4106), Output(3)),
}

// layouts are all of them; those that share a match are in different ones.
var layouts = map[string][]layoutFlow{
	"A": layoutA, "B": layoutB, "C": layoutC, "D": layoutD, "E": layoutE,
}
