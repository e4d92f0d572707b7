package view

import (
	"context"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/mroute"
)

// readRoutes lists the streams that the kernel's routing knows.
func (c *Collector) readRoutes(ctx context.Context, s *State) {
	s.Routes = []Route{}
	if c.src.Routes == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	status, err := c.src.Routes(ctx)
	if err != nil { // it has not begun, or has ended
		return
	}
	packets := make(map[mroute.SG]uint64, len(status.Entries))
	for _, e := range status.Entries {
		packets[e.SG] = e.Packets
	}
	rates := c.routes.read(s.At, packets)
	for _, e := range status.Entries {
		if len(s.Routes) == maxRoutes {
			s.RoutesOmitted = len(status.Entries) - maxRoutes
			break
		}
		_, members := c.src.Cache.Lookup(mcast.Group{Addr: e.Group})
		s.Routes = append(s.Routes, Route{
			Source: e.Source, Group: e.Group, In: e.In, Out: append([]string{}, e.Out...),
			Packets: e.Packets, PerSecond: rates[e.SG], WrongIf: e.WrongIf,
			Age: Seconds(s.At.Sub(e.Since)), Idle: Seconds(s.At.Sub(e.LastPacket)),
			Pending: e.Pending, Members: members,
		})
	}
}
