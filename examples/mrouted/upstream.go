package main

import (
	"errors"
	"net"
	"net/netip"

	"github.com/ofmcast/ofmcast/mroute"
)

// sourceSpecific is where groups are joined for named sources alone (RFC 4607).
var sourceSpecific = netip.MustParsePrefix("232.0.0.0/8")

// upstream is the outside: what is joined there. It is a routesink.Joiner.
type upstream struct {
	joiner *mroute.Joiner
	links  []*outer
}

// outer is an outside interface as it was last.
type outer struct {
	name  string
	index mroute.IfIndex // 0 if it is not there
	up    bool
}

func newUpstream(names []string) *upstream {
	u := &upstream{joiner: mroute.NewJoiner()}
	for _, name := range names {
		u.links = append(u.links, &outer{name: name})
	}
	return u
}

// Set joins what is wanted, and nothing where any source is wanted in the source-specific range: no router may act on
// such a join (RFC 4604 section 2.2.1).
func (u *upstream) Set(m mroute.Membership, f mroute.Filter) error {
	if f.Exclude && sourceSpecific.Contains(m.Group) {
		f = mroute.Filter{}
	}
	return u.joiner.Set(m, f)
}

// look finds the interfaces that have come, gone, or returned, and returns those that have. What was joined on one that
// is gone is forgotten. New are those on which everything has to be joined.
func (u *upstream) look() (changed []*outer, anew bool, err error) {
	for _, l := range u.links {
		is := outer{name: l.name}
		if link, err := net.InterfaceByName(l.name); err == nil {
			is.index, is.up = mroute.IfIndex(link.Index), link.Flags&net.FlagUp != 0
		}
		if is == *l {
			continue
		}
		if is.index != l.index {
			err = errors.Join(err, u.leave(l.index))
			anew = anew || is.index != 0
		}
		*l = is
		changed = append(changed, l)
	}
	return changed, anew, err
}

// leave forgets what was joined on an interface.
func (u *upstream) leave(i mroute.IfIndex) error {
	var errs []error
	for m := range u.joiner.Memberships() {
		if m.Interface == i {
			errs = append(errs, u.joiner.Leave(m))
		}
	}
	return errors.Join(errs...)
}
