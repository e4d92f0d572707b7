package snooper

import (
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
)

// Snooper reads the frames of one switch. It is for one goroutine at a time, does no I/O and has no clock.
type Snooper struct {
	cfg      Config
	decoder  igmp.Decoder
	roles    map[Port]Role // without Auto
	routers  routerTable
	rate     limiter
	counters Counters
	now      time.Time // the latest time given; it never goes back

	// What Result points to, used again for every frame.
	records []Record
	sources []netip.Addr
	query   Query
}

// New returns a Snooper that knows no router ports yet.
func New(cfg Config) *Snooper {
	s := &Snooper{cfg: cfg.withDefaults(), roles: map[Port]Role{}}
	s.routers.init()
	s.rate.init(s.cfg.Limits)
	return s
}

// Frame reads an Ethernet frame without its FCS that came in on a port. at is when; it should be stamped when the frame
// was read, and frames should come in order: an earlier time does not turn back what Advance did. The frame is not kept.
// Every frame may be given; those that are not for a snooper get ForwardNormal or what Data says.
func (s *Snooper) Frame(p Port, frame []byte, at time.Time) Result {
	s.Advance(at)
	v, err := s.decoder.Frame(frame)
	in := input{View: v, port: p, role: s.roles[p], vlan: vlanOf(v.VLANs()), at: at}
	r := s.read(&in, err)
	r.VLAN = in.vlan
	s.counters.Frames[r.Verdict]++
	return r
}

// input is one frame and what is known of the port it came from.
type input struct {
	*igmp.View
	port Port
	role Role
	vlan VLAN
	at   time.Time
}

func (in *input) host() Host { return Host{MAC: in.EthSrc, Addr: in.Src} }

// read decides by the message's type.
func (s *Snooper) read(in *input, err error) Result {
	switch {
	case err == igmp.ErrNotIGMP:
		return s.readOtherIPv4(in)
	case err != nil:
		return refused(refusal(err))
	}
	switch in.Type {
	case igmp.TypeQuery:
		return s.readQuery(in)
	case igmp.TypeReportV1, igmp.TypeReportV2, igmp.TypeLeave, igmp.TypeReportV3:
		return s.readReport(in)
	case igmp.TypeDVMRP, igmp.TypePIMv1, igmp.TypeRouterAdvertisement, igmp.TypeRouterTermination:
		return s.readRouterMessage(in)
	}
	return s.readUnknown(in)
}

// readUnknown floods what is IGMP but means nothing to a snooper (RFC 4541 2.1.1(3)). Flooding is dear, so it is
// limited.
func (s *Snooper) readUnknown(in *input) Result {
	if v := s.withinRate(in, hosts); v != noObjection {
		return ignored(v)
	}
	return Result{Verdict: AcceptedOther, Forward: ForwardAll}
}

// ignored is the Result of a frame that is well-formed but was not let in.
func ignored(v Verdict) Result { return Result{Verdict: v, Forward: ForwardNone} }

// refused is the Result of a frame that could not be read.
func refused(v Verdict) Result {
	if v == IgnoredNotIPv4 {
		return Result{Verdict: v, Forward: ForwardNormal}
	}
	return Result{Verdict: v, Forward: ForwardNone}
}
