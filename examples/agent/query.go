package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"time"

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

// queryLoop sends the general queries when they are due.
func (a *agent) queryLoop(ctx context.Context) error {
	for {
		frames, next := a.dueQueries(time.Now())
		for _, frame := range frames {
			a.sendGeneral(ctx, frame)
		}
		timer := time.NewTimer(time.Until(next))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-a.restart:
			timer.Stop()
			a.mu.Lock()
			a.querier.Restart()
			a.mu.Unlock()
		case <-a.reconnect:
			timer.Stop()
			a.disconnect()
		case <-timer.C:
		}
	}
}

// askEverybody has the queries of the start sent anew: hosts may have been out of reach.
func (a *agent) askEverybody() {
	select {
	case a.restart <- struct{}{}:
	default: // it is to be done already
	}
}

// dueQueries returns the frames to send now, as copies that outlive the lock.
func (a *agent) dueQueries(now time.Time) ([][]byte, time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return cloneFrames(a.querier.Advance(now)), a.querier.Next()
}

// sendGeneral sends a general query to all member ports. While that fails, nobody can answer, and
// nobody's silence may count.
func (a *agent) sendGeneral(ctx context.Context, frame []byte) {
	err := a.sendFrame(ctx, frame, ofgroup.OutputGroup(groupQuery))
	a.cache.HoldAging(err != nil)
	switch {
	case isSlave(err):
		a.log.Error("another controller has taken the bridge as master; taking it back", "err", err)
		a.disconnect()
	case err != nil && !errors.Is(err, ofgroup.ErrDisconnected):
		a.failedQueries++
		a.log.Warn("general query not sent; silence ends no membership until one is", "failed", a.failedQueries, "err", err)
	}
}

// isSlave: OFPBRC_IS_SLAVE (OpenFlow 1.5.1, 7.5.4.2).
func isSlave(err error) bool {
	const badRequest, isSlave = 1, 10
	e := new(ofgroup.SwitchError)
	return errors.As(err, &e) && e.Type == badRequest && e.Code == isSlave
}

// beginAnew has the connection made again, and with it everything on the switch brought up to date.
func (a *agent) beginAnew() {
	select {
	case a.reconnect <- struct{}{}:
	default: // it is to be done already
	}
}

func (a *agent) disconnect() {
	if s, err := a.conn.Session(); err == nil {
		_ = s.Close()
	}
}

// askMember sends one specific query to one member: the cache says which, when, and how often.
func (a *agent) askMember(ctx context.Context, q mcast.QueryRequest[ofgroup.Port]) error {
	a.mu.Lock()
	frames, err := a.querier.Specific(q.Group.Addr, q.Sources, q.Suppress, q.MaxResponse)
	frames = cloneFrames(frames)
	a.mu.Unlock()
	if err != nil {
		return err
	}
	var errs []error
	for _, frame := range frames {
		errs = append(errs, a.sendFrame(ctx, frame, ofgroup.Output(q.Member)))
	}
	return errors.Join(errs...)
}

// sendFrame has the switch send a frame, and waits until it has taken it.
func (a *agent) sendFrame(ctx context.Context, frame []byte, action ofgroup.Action) error {
	_, err := a.conn.SendMessage(ctx, ofconn.PacketOut{Actions: []ofgroup.Action{action}, Frame: frame})
	return err
}

func cloneFrames(frames [][]byte) [][]byte {
	out := make([][]byte, len(frames))
	for i, f := range frames {
		out[i] = bytes.Clone(f)
	}
	return out
}
