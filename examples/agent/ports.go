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
	if !isMember(p) || (a.o.gateway != "" && s.Port.Name == a.o.gateway) {
		return
	}
	ctx := context.Background() // every call has the connection's own time limit
	var err error
	switch s.Reason {
	case ofconn.PortAdded:
		if a.portAdded(p) {
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
func (a *agent) portAdded(p ofgroup.Port) bool {
	if !isMember(p) {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.members[p] {
		return false
	}
	a.members[p] = true
	// Nobody told us what is behind the port, so nobody there becomes querier or draws all multicast.
	a.snooper.SetRole(snooper.Port(p), snooper.Member)
	return true
}

// portRemoved takes a port, and what was joined there, away at once: whoever was there sends no leave
// any more, and who gets the number next must not inherit anything.
func (a *agent) portRemoved(p ofgroup.Port, at time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.members[p] {
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
	if err := a.putMeter(ctx, a.conn, p); err != nil {
		return err
	}
	if err := putBaseGroups(ctx, a.conn, a.memberPorts(), a.gateway); err != nil {
		return err
	}
	_, err := a.conn.SendMessage(ctx, memberFlow(p))
	a.askEverybody()
	return err
}

// unprogramPort deletes the port's meter, and with it the switch deletes the flow that uses it.
func (a *agent) unprogramPort(ctx context.Context, p ofgroup.Port) error {
	err := putBaseGroups(ctx, a.conn, a.memberPorts(), a.gateway)
	_, meterErr := a.conn.SendMessage(ctx, ofconn.MeterMod{Command: ofconn.MeterDelete, ID: meterOf(p)})
	return errors.Join(err, meterErr)
}

// putMeter adds the meter of a port, or changes the one that an earlier connection has left.
func (a *agent) putMeter(ctx context.Context, s sender, p ofgroup.Port) error {
	m := ofconn.MeterMod{
		Command: ofconn.MeterAdd, ID: meterOf(p),
		Unit: ofconn.PacketsPerSecond, Rate: uint32(a.o.packetRate), Burst: uint32(a.o.packetRate),
	}
	_, err := s.SendMessage(ctx, m)
	if refused := new(ofgroup.SwitchError); errors.As(err, &refused) && refused.Type == meterModFailed && refused.Code == meterExists {
		m.Command = ofconn.MeterModify
		_, err = s.SendMessage(ctx, m)
	}
	return err
}

// OFPET_METER_MOD_FAILED and OFPMMFC_METER_EXISTS (OpenFlow 1.5.1, 7.5.4.13).
const (
	meterModFailed = 12
	meterExists    = 1
)

func putBaseGroups(ctx context.Context, s sender, members []ofgroup.Port, gateway ofgroup.Port) error {
	for _, g := range baseGroups(members, gateway) {
		if _, err := g.Commit(ctx, s); err != nil {
			return err
		}
	}
	return nil
}
