package mcast

import (
	"cmp"
	"fmt"
	"net/netip"
	"time"
)

// Kind is what a report says. Its values are the record types of RFC 9776
// section 4.2.13, so that a decoder's record type converts.
type Kind uint8

// The record types of RFC 9776 section 4.2.13 and RFC 3810 section 5.2.12.
const (
	// ModeIsInclude answers a query: these sources are wanted.
	ModeIsInclude Kind = 1
	// ModeIsExclude answers a query: all but these sources are wanted.
	ModeIsExclude Kind = 2
	// ChangeToInclude is news: from now on these sources alone; with none, a leave.
	ChangeToInclude Kind = 3
	// ChangeToExclude is news: from now on all but these sources; with none, a join.
	ChangeToExclude Kind = 4
	// AllowNewSources is news: these sources too.
	AllowNewSources Kind = 5
	// BlockOldSources is news: these sources no more.
	BlockOldSources Kind = 6
)

// String is the RFC's short name: IS_IN, IS_EX, TO_IN, TO_EX, ALLOW, BLOCK.
func (k Kind) String() string {
	switch k {
	case ModeIsInclude:
		return "IS_IN"
	case ModeIsExclude:
		return "IS_EX"
	case ChangeToInclude:
		return "TO_IN"
	case ChangeToExclude:
		return "TO_EX"
	case AllowNewSources:
		return "ALLOW"
	case BlockOldSources:
		return "BLOCK"
	default:
		return fmt.Sprintf("Kind(%#02x)", uint8(k))
	}
}

// OwnerKind says what sort of owner holds a membership.
type OwnerKind uint8

const (
	// Learned memberships come from reports of hosts. It is the zero value,
	// because nearly all are.
	Learned OwnerKind = iota
	// Static memberships are configured: no timer ends them.
	Static
	// Remote memberships are told by another node, which keeps them fresh.
	Remote
)

// String is the kind in lower case.
func (k OwnerKind) String() string {
	switch k {
	case Learned:
		return "learned"
	case Static:
		return "static"
	case Remote:
		return "remote"
	default:
		return fmt.Sprintf("OwnerKind(%#02x)", uint8(k))
	}
}

// Owner is who holds a membership. The zero Owner is for what is learned from
// hosts. A member is in a group while any owner holds it there (contract W1).
type Owner struct {
	// Kind says how the membership ends.
	Kind OwnerKind
	// ID keeps owners of one kind apart, for instance the remote node's name.
	ID string
}

func (o Owner) compare(p Owner) int {
	return cmp.Or(cmp.Compare(o.Kind, p.Kind), cmp.Compare(o.ID, p.ID))
}

// Report is one thing heard about one member of one group. IGMPv1 and IGMPv2
// reports are ModeIsExclude without sources, leaves are ChangeToInclude
// without sources, each with its Version (RFC 9776 section 7.3.2).
type Report[M comparable] struct {
	// Group is the group.
	Group Group
	// Member is who said it: what will get a bucket, a flow, a copy.
	Member M
	// Kind is the record type.
	Kind Kind
	// Sources is the record's source list, in any order. The cache keeps no
	// reference to it.
	Sources []netip.Addr
	// Version is the IGMP version of the message: 1, 2, or 3; 0 is 3. MLDv1
	// is the counterpart of IGMPv2, so give 2 for it and 3 for MLDv2
	// (RFC 3810 section 8.3.2).
	Version uint8
	// Owner is who holds the membership; the zero value for hosts.
	Owner Owner
	// Lease is how long what a remote owner holds lives without another
	// report, at most 100 hours; 0 is the membership interval. Other owners
	// have none.
	Lease time.Duration
	// At is when the report was made, stamped when the packet was read. It
	// starts the timers; it must not be zero.
	At time.Time
}

// Join is the report by which a member joins a group for all sources.
func Join[M comparable](g Group, m M, at time.Time) Report[M] {
	return Report[M]{Group: g, Member: m, Kind: ChangeToExclude, At: at}
}

// Leave is the report by which a member leaves a group.
func Leave[M comparable](g Group, m M, at time.Time) Report[M] {
	return Report[M]{Group: g, Member: m, Kind: ChangeToInclude, At: at}
}

// check returns why the report makes no sense, or "". Group is plain already.
func (r *Report[M]) check() string {
	switch {
	case r.At.IsZero():
		return "no time"
	case !r.Group.Addr.IsMulticast():
		return "group is not a multicast address"
	case r.Kind < ModeIsInclude || r.Kind > BlockOldSources:
		return "unknown kind"
	case r.Version > 3:
		return "unknown version"
	case r.Owner.Kind > Remote:
		return "unknown owner kind"
	case r.Lease < 0 || r.Lease > 0 && r.Owner.Kind != Remote:
		return "lease that the owner cannot have"
	case r.Member != r.Member:
		return "member is not equal to itself" // a NaN could never be found again
	}
	for _, s := range r.Sources {
		if why := r.Group.sourceFault(plainAddr(s)); why != "" {
			return why
		}
	}
	return ""
}
