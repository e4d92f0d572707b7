package ofgrouptest

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// agentFlows are flows of a multicast agent as one types them.
var agentFlows = []string{
	"table=0,priority=200,ip,nw_dst=224.0.0.0/4,vlan_tci=0x0000/0x1fff,actions=resubmit(,100)",
	"table=0,priority=195,ip,nw_dst=224.0.0.0/4,vlan_tci=0x1000/0x1fff,actions=pop_vlan,resubmit(,100)",
	"table=0,priority=210,in_port=50,ip,nw_dst=224.0.0.0/4,actions=set_field:3->reg1,resubmit(,100)",
	"table=0,priority=200,in_port=3,ip,nw_dst=224.0.0.0/4,dl_vlan=10,actions=set_field:10->reg0,pop_vlan,resubmit(,100)",
	"table=100,priority=310,ip,nw_proto=2,in_port=100,actions=drop",
	"table=100,priority=305,ip,nw_proto=2,in_port=2,actions=meter:1,output:1",
	"table=100,priority=200,ip,nw_dst=224.0.0.0/24,actions=group:7",
	"cookie=0x6f666d6300000001,table=101,priority=110,ip,nw_src=192.0.2.1,nw_dst=239.1.1.1,actions=group:7",
	"table=101,priority=10,ip,reg1=0x30/0xf0,tun_id=5,actions=drop",
	"table=101,priority=9,ipv6,ipv6_dst=ff3e::1/64,actions=push_vlan:0x8100,set_field:4106->vlan_vid,output:3",
	"table=102,priority=1,dl_dst=01:00:5e:00:00:00/ff:ff:ff:80:00:00,actions=set_field:172.31.0.3->tun_dst,set_field:5->tun_id,set_field:0x50/0xf0->reg4,goto_table:110",
	"table=102,priority=2,udp,tp_dst=5001,actions=dec_ttl,write_metadata:0x5/0xff,goto_table:111",
	"table=102,priority=3,arp,arp_tpa=192.0.2.1,actions=clear_actions,write_actions(output:1)",
	"table=102,priority=4,tun_src=192.0.2.1,metadata=0x5/0xff,pkt_mark=7,actions=output:1",
}

// What a flow is shown as, a real switch takes for the flow itself.
func TestFlowsAreShownInWordsThatARealSwitchTakes(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	c := clients(t, 1, func() (net.Conn, error) { return lab.Dial(t.Context()) })[0]
	ofctl := func(args ...string) {
		_, err := lab.Ofctl(t.Context(), args...)
		require.NoError(t, err)
	}
	ofctl("add-group", lab.Bridge(), "group_id=7,type=all,bucket=actions=output:1")
	ofctl("add-meter", lab.Bridge(), "meter=1,pktps,bands=type=drop,rate=10")
	for _, text := range agentFlows {
		ofctl("del-flows", lab.Bridge())
		ofctl("add-flow", lab.Bridge(), text)
		typed := c.describeFlows()
		require.Len(t, typed, 1)
		ofctl("del-flows", lab.Bridge())
		ofctl("add-flow", lab.Bridge(), typed[0].String())
		require.Equal(t, typed, c.describeFlows(), "%s, shown as %v", text, typed[0])
	}
}

func TestWhatHasNoWordsIsShownInHex(t *testing.T) {
	controller := "ffff0010" + "00002320" + "0014" + "ffff" + "00070100"
	m, v := parseConditions(unhex(t, isIPv4+"80001001"+"2e"+in1))
	require.Equal(t, accepted, v)
	require.Equal(t, "in_port=1,dl_type=0x800,field(0x8000:8)=0x2e", m.String())
	does, v := parseInstructions(unhex(t, applying(controller)))
	require.Equal(t, accepted, v)
	require.Equal(t, "action("+controller+")", does.String())
	require.Equal(t, "drop", instructions{}.String())
}
