package ofgrouptest

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// bundleIdle is how long Open vSwitch keeps a bundle about which nothing is said.
const bundleIdle = 10 * time.Second

// bundle is what a controller has gathered to be carried out at once (section 7.3.9).
type bundle struct {
	flags  uint16
	closed bool
	adds   [][]byte // whole BUNDLE_ADDs
	used   time.Time
}

// Why a bundle is refused. Each was drawn from Open vSwitch, or is its source's.
const (
	bundleBadID       = verdict(openflow.ErrorBundleFailed<<16 | openflow.BundleBadID)
	bundleClosed      = verdict(openflow.ErrorBundleFailed<<16 | 4)
	bundleBadType     = verdict(openflow.ErrorBundleFailed<<16 | 6)
	bundleBadFlags    = verdict(openflow.ErrorBundleFailed<<16 | 7)
	bundleMsgBadLen   = verdict(openflow.ErrorBundleFailed<<16 | 8)
	bundleMsgBadXID   = verdict(openflow.ErrorBundleFailed<<16 | 9)
	bundleMsgUnsup    = verdict(openflow.ErrorBundleFailed<<16 | 10)
	bundleMsgFailed   = verdict(openflow.ErrorBundleFailed<<16 | openflow.BundleMsgFailed)
	bundleFlagsKnown  = openflow.BundleAtomic | openflow.BundleOrdered
	bundleControlBody = 8
)

// live is the bundle of this number, unless it was idle for too long.
func (c *switchConn) live(id uint32) *bundle {
	b := c.bundles[id]
	if b != nil && time.Since(b.used) > bundleIdle {
		delete(c.bundles, id)
		return nil
	}
	return b
}

func (c *switchConn) openBundle(id uint32, flags uint16) *bundle {
	b := &bundle{flags: flags, used: time.Now()}
	c.bundles[id] = b
	return b
}

// bundleControl obeys one step. Opening a number that is in use ends the old bundle, too.
func (c *switchConn) bundleControl(m []byte) ([][]byte, verdict) {
	ask, _ := openflow.ParseBundleControl(m)
	b := c.live(ask.ID)
	switch {
	case ask.Flags&^bundleFlagsKnown != 0:
		return nil, bundleBadFlags
	case ask.Step > openflow.BundleDiscard || ask.Step%2 != 0:
		return nil, bundleBadType
	case ask.Step == openflow.BundleOpen && b != nil:
		delete(c.bundles, ask.ID)
		return nil, bundleBadID
	case ask.Step == openflow.BundleOpen:
		c.openBundle(ask.ID, ask.Flags)
		return bundleReply(m, ask), accepted
	case b == nil:
		return nil, bundleBadID
	}
	if replies, v := c.endBundle(b, ask); v != accepted {
		return replies, v
	}
	return bundleReply(m, ask), accepted
}

// endBundle obeys a step after the first. One that is refused ends the bundle, too.
func (c *switchConn) endBundle(b *bundle, ask openflow.BundleControl) ([][]byte, verdict) {
	if ask.Step == openflow.BundleClose && !b.closed && b.flags == ask.Flags {
		b.closed, b.used = true, time.Now()
		return nil, accepted
	}
	delete(c.bundles, ask.ID)
	switch {
	case ask.Step == openflow.BundleDiscard:
		return nil, accepted
	case ask.Step == openflow.BundleClose && b.closed:
		return nil, bundleClosed
	case b.flags != ask.Flags:
		return nil, bundleBadFlags
	}
	if blame, v := c.commit(b); v != accepted {
		return [][]byte{errorMessage(blame, *v.refusal())}, bundleMsgFailed
	}
	return nil, accepted
}

// bundleReply is the answer to a step, without flags.
func bundleReply(m []byte, ask openflow.BundleControl) [][]byte {
	done := openflow.BundleControl{ID: ask.ID, Step: ask.Step + 1}
	reply := openflow.AppendBundleControl(nil, openflow.Version15, done)
	openflow.PutXID(reply, xidOf(m))
	return [][]byte{reply}
}

// bundleAdd puts a message that can be read into a bundle, and opens it if need be.
func (c *switchConn) bundleAdd(m []byte) ([][]byte, verdict) {
	add, ok := openflow.ParseBundleAdd(m)
	switch {
	case len(m) < openflow.BundleHeaderLen(openflow.Version15)+openflow.HeaderLen:
		return nil, badLen
	case !ok:
		return nil, bundleMsgBadLen
	}
	b := c.live(add.ID)
	v := checkBundled(add.Message, xidOf(m))
	switch {
	case v != accepted:
	case add.Flags&^bundleFlagsKnown != 0:
		v = bundleBadFlags
	case b == nil:
		b = c.openBundle(add.ID, add.Flags)
	case b.closed:
		v = bundleClosed
	case b.flags != add.Flags:
		v = bundleBadFlags
	}
	if v != accepted {
		return nil, v
	}
	b.used = time.Now()
	b.adds = append(b.adds, m)
	return nil, accepted
}

// checkBundled asks whether a message may be in a bundle, and can be read.
func checkBundled(m []byte, xid uint32) verdict {
	t := MessageType(m[1])
	r, ok := bundleable[t]
	switch {
	case m[0] != openflow.Version15:
		return badVersion
	case xidOf(m) != xid:
		return bundleMsgBadXID
	case !ok:
		return bundleMsgUnsup
	case !r.fits(len(m) - openflow.HeaderLen):
		return badLen
	}
	var v verdict
	switch t {
	case MsgGroupMod:
		_, v = parseGroupMod(m)
	case MsgFlowMod:
		_, v = parseFlowMod(m)
	default:
		_, _, v = parsePacketOut(bytes.Clone(m))
	}
	return v
}

// commit carries all messages out, or none and says which is to blame: they are tried on a
// copy of the switch, to which nobody is connected, before they are carried out here.
func (c *switchConn) commit(b *bundle) (blame []byte, v verdict) {
	trial := newSwitchConn(c.sw.copied(), nil, 0)
	for _, on := range []*switchConn{trial, c} {
		for _, add := range b.adds {
			a, _ := openflow.ParseBundleAdd(add)
			obey := bundleable[MessageType(a.Message[1])].obey
			if _, v := obey(on, bytes.Clone(a.Message)); v != accepted {
				return add, v
			}
		}
	}
	return nil, accepted
}

// copied is a switch that holds the same, as far as groups, flows and packets go, and has
// no connections.
func (s *Switch) copied() *Switch {
	groups := newGroupTable(s.table.limit)
	groups.bytes = s.table.bytes
	for id, g := range s.table.groups {
		twin := *g
		twin.buckets = slices.Clone(g.buckets)
		groups.groups[id] = &twin
	}
	flows := s.flows
	flows.flows, flows.users = maps.Clone(flows.flows), maps.Clone(flows.users)
	return &Switch{table: groups, flows: flows, meters: s.meters, ports: s.ports}
}
