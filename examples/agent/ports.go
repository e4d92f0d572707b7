package main

import (
	"context"
	"errors"
	"time"

	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// sender is a Session or a Conn.
type sender interface {
	ofgroup.Sender
	SendMessage(ctx context.Context, m ofconn.Message) (ofgroup.Receipt, error)
}

// onPortStatus follows the ports of the bridge. What cannot be sent now, because the connection
// broke, the next onConnect sends.
func (a *agent) onPortStatus(s ofconn.PortStatus, at time.Time) {
	p := s.Port.Number
	if a.o.gateway != "" && s.Port.Name == a.o.gateway {
		if s.Reason != ofconn.PortDeleted && p != a.gatewayPort() {
			a.beginAnew() // it is another port now, which every group names
		}
		return
	}
	if !isMember(p) {
		return
	}
	ctx := context.Background() // every call has the connection's own time limit
	var err error
	switch s.Reason {
	case ofconn.PortAdded:
		if a.portAdded(p, s.Port.Name) {
			err = a.programPort(ctx, p)
		}
	case ofconn.PortDeleted:
		if a.portRemoved(p, at) {
			err = a.unprogramPort(ctx, p)
		}
	case ofconn.PortModified:
		a.linkChanged(p, s.Port.State, at)
	}
	if err != nil {
		a.log.Warn("port not programmed", "port", p, "reason", s.Reason, "err", err)
	}
}

// portAdded makes a port a member port, and says whether it was none.
func (a *agent) portAdded(p ofgroup.Port, name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.members[p]; known {
		return false
	}
	a.members[p] = name
	// Nobody told us what is behind the port, so nobody there becomes querier or draws all multicast.
	a.snooper.SetRole(snooper.Port(p), snooper.Member)
	return true
}

// portRemoved takes a port, and what was joined there, away at once: whoever was there sends no leave
// any more, and who gets the number next must not inherit anything.
func (a *agent) portRemoved(p ofgroup.Port, at time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.members[p]; !known {
		return false
	}
	delete(a.members, p)
	a.snooper.RemovePort(snooper.Port(p))
	a.cache.RemoveMember(p, at)
	return true
}

// linkChanged: behind a link that is down nobody listens, as when the other end of a veth pair went
// with its container. When it is up again whoever is there is asked at once.
func (a *agent) linkChanged(p ofgroup.Port, state ofconn.PortState, at time.Time) {
	if state&ofconn.PortLinkDown != 0 {
		a.cache.RemoveMember(p, at)
		return
	}
	a.askEverybody()
}

func (a *agent) programPort(ctx context.Context, p ofgroup.Port) error {
	f, err := a.meteredFlow(ctx, a.conn, p)
	if err != nil {
		return err
	}
	if err := a.putBaseGroups(ctx, a.conn); err != nil {
		return err
	}
	_, err = a.conn.SendMessage(ctx, f)
	a.askEverybody()
	return err
}

// unprogramPort takes a port that is gone out of the base groups, and its own flow and meter away.
func (a *agent) unprogramPort(ctx context.Context, p ofgroup.Port) error {
	return errors.Join(a.putBaseGroups(ctx, a.conn), clearPort(ctx, a.conn, p))
}

// clearPort deletes the flows for IGMP from a port, a member's or the gateway's, and its meter.
func clearPort(ctx context.Context, s sender, p ofgroup.Port) error {
	_, err := s.SendMessage(ctx, ofconn.FlowMod{
		Command: ofconn.FlowDelete, Table: tableClassify, Cookie: cookie, CookieMask: cookieMask, Match: igmpFrom(p),
	})
	_, meterErr := s.SendMessage(ctx, ofconn.MeterMod{Command: ofconn.MeterDelete, ID: meterOf(p)})
	if refused(meterErr) {
		meterErr = nil // there was none: see meteredFlow
	}
	return errors.Join(err, meterErr)
}

// meteredFlow puts the meter of a port on the switch and returns the flow that uses it. A switch that
// has no meters, or no more, gets the flow without: a port that floods can then delay the others, but
// all are served.
func (a *agent) meteredFlow(ctx context.Context, s sender, p ofgroup.Port) (ofconn.FlowMod, error) {
	err := a.putMeter(ctx, s, p)
	if refused(err) {
		a.log.Warn("port without a meter: the switch refused it", "port", p, "err", err)
		return memberFlow(p, false), nil
	}
	return memberFlow(p, true), err
}

// putMeter adds the meter of a port, or changes the one that an earlier connection has left.
func (a *agent) putMeter(ctx context.Context, s sender, p ofgroup.Port) error {
	m := ofconn.MeterMod{
		Command: ofconn.MeterAdd, ID: meterOf(p),
		Unit: ofconn.PacketsPerSecond, Rate: uint32(a.o.packetRate), Burst: uint32(a.o.packetRate),
	}
	_, err := s.SendMessage(ctx, m)
	if e := new(ofgroup.SwitchError); errors.As(err, &e) && e.Type == meterModFailed && e.Code == meterExists {
		m.Command = ofconn.MeterModify
		_, err = s.SendMessage(ctx, m)
	}
	return err
}

// refused says that the switch itself said no.
func refused(err error) bool {
	e := new(ofgroup.SwitchError)
	return errors.As(err, &e)
}

// OFPET_METER_MOD_FAILED and OFPMMFC_METER_EXISTS (OpenFlow 1.5.1, 7.5.4.13).
const (
	meterModFailed = 12
	meterExists    = 1
)

// putBaseGroups makes the groups that follow the ports agree with them.
func (a *agent) putBaseGroups(ctx context.Context, s sender) error {
	for _, g := range baseGroups(a.memberPorts(), a.gatewayPort()) {
		if _, err := g.Commit(ctx, s); err != nil {
			return err
		}
	}
	return nil
}
