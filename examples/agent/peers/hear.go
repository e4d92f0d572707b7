package peers

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/mcast"
)

var (
	// ErrStranger says that a frame is from nobody that is a peer.
	ErrStranger = errors.New("not from another node")
	// ErrOurs says that a frame has this node's own address: another node was given it, too, or the tunnel
	// returns what was sent.
	ErrOurs = errors.New("from this node's own address")
	// ErrUnknown says that a frame is from a peer but nothing that peers say.
	ErrUnknown = errors.New("neither a general query nor an IGMPv3 report")
)

// linkLocal are the groups that nobody asks other nodes for.
var linkLocal = netip.MustParsePrefix("224.0.0.0/24")

// Owner is who holds what another node wants.
func Owner(node netip.Addr) mcast.Owner { return mcast.Owner{Kind: mcast.Remote, ID: node.String()} }

// Heard takes in a frame that has come through the tunnel, with its tag, and returns what it says for the
// cache. It is believed if its inner source is a peer's: the outer one may be another's, where addresses
// are translated. A frame that is refused changes nothing; the error says why.
func (x *Exchange) Heard(frame []byte, at time.Time) ([]mcast.Report[members.Member], error) {
	v, err := x.decoder.Frame(frame)
	switch {
	case err != nil:
		return nil, err
	case v.Src == x.cfg.Node:
		return nil, ErrOurs
	case !x.isPeer(v.Src):
		return nil, fmt.Errorf("%w: %v", ErrStranger, v.Src)
	case len(v.VLANs()) > 1:
		return nil, fmt.Errorf("%w: two tags", ErrUnknown)
	}
	switch v.Type {
	case igmp.TypeQuery:
		if !v.Group.IsUnspecified() {
			return nil, ErrUnknown
		}
		x.asked(v.Src, at)
		return nil, nil
	case igmp.TypeReportV3:
		return x.reported(v, at), nil
	}
	return nil, ErrUnknown
}

// asked plans an answer, if none is on its way. Many answer one who starts, so each picks its time.
func (x *Exchange) asked(by netip.Addr, at time.Time) {
	if _, planned := x.answers[by]; !planned {
		x.answers[by] = at.Add(x.cfg.Jitter(maxResponse / 2))
	}
}

// reported are the records of a peer's report. Its sources are copies.
func (x *Exchange) reported(v *igmp.View, at time.Time) []mcast.Report[members.Member] {
	segment := uint32(0)
	for _, tag := range v.VLANs() {
		segment = uint32(tag.ID)
	}
	var reports []mcast.Report[members.Member]
	for r := range v.Records() {
		if !r.Type.Known() || !r.Group.IsMulticast() || linkLocal.Contains(r.Group) {
			continue
		}
		reports = append(reports, mcast.Report[members.Member]{
			Group:   mcast.Group{Addr: r.Group, Segment: segment},
			Member:  members.Node(v.Src),
			Kind:    mcast.Kind(r.Type),
			Sources: r.AppendSources(nil),
			Version: 3,
			Owner:   Owner(v.Src),
			Lease:   x.cfg.Lease(),
			At:      at,
		})
	}
	return reports
}
