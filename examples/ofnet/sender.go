package main

import (
	"context"
	"fmt"

	"antrea.io/libOpenflow/util"
	"antrea.io/ofnet/ofctrl"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// What libOpenflow asks of a message, a GROUP_MOD has, and so has an IGMP message: both
// can be put wherever it wants one.
var (
	_ util.Message = (*ofgroup.Mod)(nil)
	_ util.Message = (*igmp.Query)(nil)
)

// newSender makes a Sender of whatever switch ofnet has at the moment; nil is none. Its
// Send only puts a message in line, so nothing is ever confirmed, refusals are heard by
// ofnet alone, and a Table takes what it sent for Assumed. Whatever Send returns an error
// for was not put in line.
func newSender(current func() *ofctrl.OFSwitch) ofgroup.Sender {
	return ofgroup.SendFunc(ofgroup.OpenFlow15, func(_ context.Context, m *ofgroup.Mod) error {
		sw := current()
		if sw == nil || !sw.IsReady() {
			return ofgroup.NotSent(ofgroup.ErrDisconnected)
		}
		if err := sw.Send(m); err != nil {
			return ofgroup.NotSent(fmt.Errorf("ofnet: %w", err))
		}
		return nil
	})
}
