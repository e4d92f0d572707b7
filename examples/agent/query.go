package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/querier"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// querierConfig takes the frames' source MAC from the gateway, where the kernel answers for it, or
// from the bridge; where neither is an interface of this host it makes one up.
func querierConfig(o options, log *slog.Logger) querier.Config {
	mac := igmp.MAC{0x02, 'o', 'f', 'm', 'c', 0x01} // locally administered
	for _, name := range []string{o.gateway, o.bridge} {
		if i, err := net.InterfaceByName(name); err == nil && len(i.HardwareAddr) == len(mac) {
			mac = igmp.MAC(i.HardwareAddr)
			break
		}
	}
	return querier.Config{
		MAC: mac, Addrs: []netip.Addr{o.queryAddr},
		Versions: o.queryVersions, QI: o.queryInterval, QRI: o.queryResponse,
		Logger: log,
	}
}

// general is a general query that is due.
type general struct {
	vlan  uint16
	frame []byte // without a tag: the group tags it where it has to be
}

// queryLoop sends the general queries when they are due. Those of the start are sent anew when asked for,
// but not each time that a link or the connection flaps.
func (a *agent) queryLoop(ctx context.Context) error {
	pace, again := damp{every: a.o.queryResponse}, false
	for {
		allowed, at := true, time.Time{}
		if again {
			if allowed, at = pace.take(time.Now()); allowed {
				a.sendAll(ctx, a.restartQueries())
			}
		}
		a.forgetUnasked()
		queries, next := a.dueQueries(time.Now())
		a.sendAll(ctx, queries)
		if again = !allowed; again {
			next = earlier(next, at)
		}
		timer := time.NewTimer(time.Until(next))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-a.restart:
			timer.Stop()
			again = true
		case <-a.wake: // there are other queriers now
			timer.Stop()
		case <-timer.C:
		}
	}
}

func (a *agent) sendAll(ctx context.Context, queries []general) {
	for _, q := range queries {
		a.sendGeneral(ctx, q)
	}
}

// askEverybody has the queries of the start sent anew: hosts may have been out of reach.
func (a *agent) askEverybody() { a.restart.signal() }

// restartQueries has every querier begin anew with the next dueQueries. Where another router is the
// querier, one query of ours asks the members in its place: new ones should not wait for its next.
func (a *agent) restartQueries() []general {
	a.mu.Lock()
	defer a.mu.Unlock()
	var queries []general
	for _, vlan := range a.layout.vlans {
		q := a.queriers[vlan]
		if q == nil || q.Restart() {
			continue
		}
		a.asker.Restart()
		for _, frame := range cloneFrames(a.asker.Advance(time.Now())) {
			queries = append(queries, general{vlan, frame})
		}
	}
	return queries
}

// dueQueries returns what is to be sent now, as copies that outlive the lock, and when to look again.
func (a *agent) dueQueries(now time.Time) (due []general, next time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	next = now.Add(time.Minute)
	for _, vlan := range a.layout.vlans {
		q := a.queriers[vlan]
		if q == nil {
			continue
		}
		for _, frame := range cloneFrames(q.Advance(now)) {
			due = append(due, general{vlan, frame})
		}
		next = earlier(next, q.Next())
	}
	a.snooper.Advance(now)
	if t, waiting := a.snooper.Next(); waiting {
		next = earlier(next, t)
	}
	if t, waiting := a.endInheritance(now); waiting {
		next = earlier(next, t)
	}
	a.noteRouters()
	a.retime()
	return due, next
}

// forgetUnasked: where we do not ask any more, because another router does or the VLAN is not served, it
// does not matter that our last question did not go out.
func (a *agent) forgetUnasked() {
	if len(a.unasked) == 0 {
		return
	}
	a.mu.Lock()
	maps.DeleteFunc(a.unasked, func(vlan uint16, _ bool) bool {
		q := a.queriers[vlan]
		return q == nil || !q.State().Querier
	})
	a.mu.Unlock()
	a.reach.asked(len(a.unasked) == 0)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// sendGeneral sends a general query to all member ports of a VLAN. While that fails, nobody there can
// answer, and nobody's silence may count.
func (a *agent) sendGeneral(ctx context.Context, q general) {
	err := a.sendFrame(ctx, q.frame, ofgroup.OutputGroup(baseGroup(groupQuery, q.vlan)))
	delete(a.unasked, q.vlan)
	if err != nil {
		a.unasked[q.vlan] = true
	} else {
		a.view.Hosts.Asked(time.Now(), a.queried(q.vlan)...)
	}
	a.reach.asked(len(a.unasked) == 0)
	switch {
	case isSlave(err):
		a.log.Error("another controller has taken the bridge as master; taking it back", "err", err)
		a.disconnect()
	case err != nil && !errors.Is(err, ofgroup.ErrDisconnected):
		a.failedQueries++
		a.log.Warn("general query not sent; silence ends no membership until one is",
			"vlan", q.vlan, "failed", a.failedQueries, "err", err)
	}
}

// queried are the ports that general queries of a VLAN go to.
func (a *agent) queried(vlan uint16) []ofgroup.Port {
	a.mu.Lock()
	defer a.mu.Unlock()
	var ports []ofgroup.Port
	for _, p := range a.layout.ports {
		if p.role == roleMember && p.vlans.carries(vlan) {
			ports = append(ports, p.number)
		}
	}
	return ports
}

// isSlave: OFPBRC_IS_SLAVE (OpenFlow 1.5.1, 7.5.4.2).
func isSlave(err error) bool {
	const badRequest, isSlave = 1, 10
	e := new(ofgroup.SwitchError)
	return errors.As(err, &e) && e.Type == badRequest && e.Code == isSlave
}

func (a *agent) disconnect() {
	if s, err := a.conn.Session(); err == nil {
		_ = s.Close()
	}
}

// errNotInVLAN says that a port is not, or no more, in the VLAN that a question is about.
var errNotInVLAN = errors.New("the port is not in that VLAN")

// askMember sends one specific query to one member: the cache says which, when, and how often. Behind a
// router port another querier, if there is one, asks for itself.
func (a *agent) askMember(ctx context.Context, q mcast.QueryRequest[members.Member]) error {
	frames, actions, err := a.specific(q)
	if err != nil {
		return err
	}
	var errs []error
	for _, frame := range frames {
		errs = append(errs, a.sendFrame(ctx, frame, actions...))
	}
	if err = errors.Join(errs...); err == nil && len(frames) > 0 {
		a.view.Hosts.Asked(time.Now(), q.Member.Port)
	}
	return err
}

func (a *agent) specific(q mcast.QueryRequest[members.Member]) ([][]byte, []ofgroup.Action, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	vlan := uint16(q.Group.Segment)
	p, ok := a.layout.port(q.Member.Port)
	if !ok || !p.vlans.carries(vlan) {
		return nil, nil, errNotInVLAN
	}
	if other := a.queriers[vlan]; p.role.mayRoute() && other != nil && !other.State().Querier {
		return nil, nil, nil
	}
	frames, err := a.asker.Specific(q.Group.Addr, q.Sources, q.Suppress, q.MaxResponse)
	return cloneFrames(frames), p.vlans.out(p.number, vlan), err
}

// sendFrame has the switch send a frame, and waits until it has taken it.
func (a *agent) sendFrame(ctx context.Context, frame []byte, actions ...ofgroup.Action) error {
	_, err := a.conn.SendMessage(ctx, ofconn.PacketOut{Actions: actions, Frame: frame})
	return err
}

func cloneFrames(frames [][]byte) [][]byte {
	out := make([][]byte, len(frames))
	for i, f := range frames {
		out[i] = bytes.Clone(f)
	}
	return out
}
