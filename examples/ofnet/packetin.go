package main

import (
	"errors"
	"fmt"

	"antrea.io/libOpenflow/openflow15"
	"antrea.io/ofnet/ofctrl"

	"github.com/ofmcast/ofmcast/igmp/snooper"
)

var (
	errNoPort = errors.New("packet-in without its port")
	errCut    = errors.New("packet-in without its end")
)

// received is what a snooper wants of ofnet's packet-in: the port, and the frame as it
// came in. A frame that the switch has cut is refused, for half a report is another one.
func received(p *ofctrl.PacketIn) (snooper.Port, []byte, error) {
	frame, err := p.Data.MarshalBinary()
	if err != nil {
		return 0, nil, fmt.Errorf("packet-in: %w", err)
	}
	if int(p.TotalLen) > len(frame) {
		return 0, nil, errCut
	}
	for _, f := range p.Match.Fields {
		if in, ok := f.Value.(*openflow15.InPortField); ok {
			return snooper.Port(in.InPort), frame, nil
		}
	}
	return 0, nil, errNoPort
}
