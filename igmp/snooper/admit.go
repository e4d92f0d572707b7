package snooper

import (
	"net/netip"
	"slices"

	"github.com/ofmcast/ofmcast/igmp"
)

// noObjection is the verdict of a check that a message passed.
const noObjection Verdict = 0

// admit says whether a message may be read: it passes the checks, and its port has not sent too many. What fails a
// check does not count there, so that one host's forgeries use up nothing of the others behind its port.
func (s *Snooper) admit(in *input, from sender) Verdict {
	if v := s.cfg.Checks.objection(in); v != noObjection {
		return v
	}
	return s.withinRate(in, from)
}

func (c *Checks) objection(in *input) Verdict {
	switch {
	case c.SenderMAC == CheckStrict && in.EthSrc[0]&1 != 0:
		return IgnoredSenderMAC
	case c.VLAN == CheckStrict && slices.ContainsFunc(in.VLANs(), reservedVLAN):
		return IgnoredVLAN
	case c.TTL == CheckStrict && in.TTL != 1:
		return IgnoredTTL
	case c.RouterAlert == CheckStrict && !in.RouterAlert && sentWithRouterAlert(in.View):
		return IgnoredNoRouterAlert
	case c.Source == CheckStrict && !in.Src.IsUnspecified() && !isSource(in.Src):
		return IgnoredSource
	case !c.rightDestination(in.View):
		return IgnoredDestination
	case fromHost(in.Type):
		return c.objectionToHost(in.Src)
	}
	return noObjection
}

// objectionToHost is about the source of a report or leave. Subnets have no say in 0.0.0.0 (RFC 9776 9.2).
func (c *Checks) objectionToHost(src netip.Addr) Verdict {
	switch {
	case src.IsUnspecified():
		if c.Unspecified == CheckStrict {
			return IgnoredUnspecified
		}
	case len(c.Subnets) > 0 && !anyContains(c.Subnets, src):
		return IgnoredSubnet
	}
	return noObjection
}

func reservedVLAN(tag igmp.VLAN) bool { return tag.ID == 0xfff }

// sentWithRouterAlert tells the messages whose senders must set the option.
func sentWithRouterAlert(v *igmp.View) bool {
	switch v.Type {
	case igmp.TypeRouterAdvertisement, igmp.TypeRouterTermination:
		return true
	}
	return v.Version >= 2
}

func fromHost(t igmp.Type) bool {
	switch t {
	case igmp.TypeReportV1, igmp.TypeReportV2, igmp.TypeLeave, igmp.TypeReportV3:
		return true
	}
	return false
}

func anyContains(prefixes []netip.Prefix, a netip.Addr) bool {
	for _, p := range prefixes {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
