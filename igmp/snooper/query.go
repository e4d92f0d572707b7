package snooper

import (
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
)

const defaultQRV = 2 // RFC 9776 8.1, when the query does not tell

// readQuery takes a query of any kind. Its sender is a router, unless it says 0.0.0.0.
func (s *Snooper) readQuery(in *input) Result {
	if in.role == Member {
		return ignored(IgnoredMemberQuery)
	}
	if v := s.admit(in, routers); v != noObjection {
		return unadmittedQuery(in, v)
	}
	q := Query{
		Port: in.port, Host: in.host(), VLAN: in.vlan, Version: in.Version, Group: in.Group, MaxResp: in.MaxResp,
		SuppressRouter: in.SuppressRouter, QRV: in.QRV, QQI: in.QQI, At: in.at,
	}
	if general(in.View) {
		q.Group = netip.IPv4Unspecified() // a v1 query's may be another
	} else if !q.Group.IsMulticast() {
		return ignored(IgnoredNotMulticast)
	}
	if !q.General() {
		s.sources = s.sources[:0]
		for a := range in.Sources() {
			s.sources = append(s.sources, a)
		}
		q.Sources = s.sources
	}
	if !q.Proxy() {
		s.learn(in, signQuery, s.queryLifetime(&q))
	}
	s.query = q
	return Result{Verdict: AcceptedQuery, Forward: ForwardAll, Query: &s.query}
}

// unadmittedQuery keeps a query that is not let in from everybody, except that what is sent to one host alone is
// between those two (RFC 9776 4.1.12).
func unadmittedQuery(in *input, v Verdict) Result {
	if v == IgnoredDestination && toOneStation(in.View) {
		return Result{Verdict: v, Forward: ForwardNormal}
	}
	return ignored(v)
}

// queryLifetime is the Other Querier Present Interval of a v3 querier by its own words (RFC 9776 8.5): a router that
// asks seldom must not stop being one between two of its queries. RouterTimeout is the least.
func (s *Snooper) queryLifetime(q *Query) time.Duration {
	if q.Version < 3 {
		return s.cfg.RouterTimeout
	}
	qrv := time.Duration(q.QRV)
	if qrv == 0 {
		qrv = defaultQRV
	}
	return max(s.cfg.RouterTimeout, qrv*q.QQI+q.MaxResp/2)
}

// readRouterMessage reads the IGMP types that tell of routers: DVMRP, PIM version 1 (RFC 4541 2.1.1(1)) and
// router discovery.
func (s *Snooper) readRouterMessage(in *input) Result {
	if in.role == Member {
		return ignored(IgnoredMemberRouter)
	}
	if v := s.admit(in, routers); v != noObjection {
		return ignored(v)
	}
	switch in.Type {
	case igmp.TypeRouterAdvertisement:
		lifetime, ok := advertisementLifetime(in.Payload())
		if !ok {
			return refused(RefusedLength)
		}
		s.learn(in, signAdvertisement, lifetime)
	case igmp.TypeRouterTermination:
		s.unlearn(in, signAny)
	case igmp.TypeDVMRP:
		s.learn(in, signDVMRP, s.cfg.RouterTimeout)
	case igmp.TypePIMv1:
		s.learn(in, signPIMv1, s.cfg.RouterTimeout)
	}
	return Result{Verdict: AcceptedRouter, Forward: ForwardAll}
}

// readOtherIPv4 looks for PIM hellos; the rest is data.
func (s *Snooper) readOtherIPv4(in *input) Result {
	if !isPIM(in.View) {
		return Result{Verdict: IgnoredNotIGMP, Forward: s.Data(in.Dst)}
	}
	if in.role == Member {
		return ignored(IgnoredMemberRouter)
	}
	if v := s.admit(in, routers); v != noObjection {
		return ignored(v)
	}
	switch hold, verdict := readHello(in.Payload()); {
	case verdict != AcceptedRouter:
		return refused(verdict)
	case hold == 0:
		s.unlearn(in, signPIM) // RFC 7761 4.3.1: the neighbour says goodbye
	default:
		s.learn(in, signPIM, max(minLifetime, hold))
	}
	return Result{Verdict: AcceptedRouter, Forward: s.Data(in.Dst)}
}
