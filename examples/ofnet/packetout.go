package main

import (
	"antrea.io/libOpenflow/openflow15"
	"antrea.io/libOpenflow/util"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// through has the switch send a frame, such as a query of igmp/querier, through a group.
// The frame goes out byte for byte: its checksums and its Router Alert are set.
func through(group ofgroup.ID, frame []byte) *openflow15.PacketOut {
	out := openflow15.NewPacketOut()
	out.Match.AddField(*openflow15.NewInPortField(openflow15.P_CONTROLLER))
	out.AddAction(openflow15.NewActionGroup(uint32(group)))
	out.Data = util.NewBuffer(frame)
	return out
}
