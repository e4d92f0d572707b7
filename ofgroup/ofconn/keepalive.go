package ofconn

import (
	"fmt"
	"time"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// keepAlive asks a silent switch whether it is there, every EchoInterval, and
// ends the session when it was not heard for DeadAfter. Any message counts as
// a sign of life: a switch that is busy answers its echoes late. It also ends calls whose
// time is over.
func (s *Session) keepAlive() {
	timer := time.NewTimer(s.cfg.EchoInterval)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-s.alarm.timer.C:
			s.endOverdue()
			continue
		case <-s.done:
			return
		}
		switch silent := s.sinceHeard(); {
		case silent >= s.cfg.DeadAfter:
			s.fail(fmt.Errorf("%w: silent for %v", ErrDeadPeer, silent))
			return
		case silent >= s.cfg.EchoInterval:
			s.ledger.enqueueEcho(openflow.TypeEchoRequest, 0, nil)
			timer.Reset(min(s.cfg.EchoInterval, s.cfg.DeadAfter-silent))
		default:
			timer.Reset(s.cfg.EchoInterval - silent)
		}
	}
}
