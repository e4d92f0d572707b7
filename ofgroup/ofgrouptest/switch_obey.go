package ofgrouptest

import (
	"time"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// obey takes one message; false ends the connection after what is queued.
func (c *switchConn) obey(m []byte) bool {
	t := MessageType(m[1])
	if !c.greeted {
		return c.greet(m)
	}
	fault, replies := c.answer(t, m)
	o := outgoing{until: fault.Until}
	if fault.Delay > 0 {
		o.due = time.Now().Add(fault.Delay)
	}
	c.enqueue(o)
	for _, r := range replies {
		c.enqueue(outgoing{bytes: r})
		if fault.Twice {
			c.enqueue(outgoing{bytes: r})
		}
	}
	return !fault.Close
}

// answer decides on one message, under the switch's lock: a real switch, too, obeys
// one message at a time, whatever connection it came by.
func (c *switchConn) answer(t MessageType, m []byte) (Fault, [][]byte) {
	s := c.sw
	s.mu.Lock()
	defer s.mu.Unlock()
	fault := s.faultFor(t)
	if fault.Hold != nil {
		s.hold(fault.Hold)
	}
	if c.killed {
		return Fault{Close: true}, nil
	}
	s.counts[t]++
	refused := fault.Refuse
	var replies [][]byte
	ignored := s.hung || fault.Ignore
	if !ignored && refused == nil {
		var v verdict
		if replies, v = c.execute(t, m); v != accepted {
			refused = v.refusal()
		}
	}
	s.log.add(Logged{Type: t, Conn: c.number, Message: m, Refused: refused, Ignored: ignored})
	if s.hung || fault.Mute {
		return fault, nil
	}
	if refused != nil {
		replies = append(replies, errorMessage(m, *refused)) // a bundle's is the second one
	}
	return fault, replies
}

// hold waits, without the lock, until it is let go or the switch is closed.
func (s *Switch) hold(until <-chan struct{}) {
	s.mu.Unlock()
	defer s.mu.Lock()
	select {
	case <-until:
	case <-s.over:
	}
}

// execute looks at a message in Open vSwitch's order: its version, its type, its
// length, whether the connection may send it, and only then what it says.
func (c *switchConn) execute(t MessageType, m []byte) ([][]byte, verdict) {
	if t == MsgEchoRequest { // in any version
		return [][]byte{message(m[0], openflow.TypeEchoReply, xidOf(m), m[openflow.HeaderLen:])}, accepted
	}
	if m[0] != openflow.Version15 {
		return nil, badVersion
	}
	if t == MsgEchoReply || t == MsgError {
		return nil, accepted
	}
	r, ok := requests[t]
	switch {
	case !ok:
		return nil, badType
	case !r.fits(len(m) - openflow.HeaderLen):
		return nil, badLen
	case r.writes && c.role == roleSlave:
		return nil, isSlave
	}
	return r.obey(c, m)
}

// request is a kind of message that the switch obeys. The length of its body is least,
// or more by whole units of step.
type request struct {
	least, step int
	writes      bool // so that a slave may not send it (section 6.3.6)
	obey        func(*switchConn, []byte) ([][]byte, verdict)
}

// requests are what the switch obeys, by type.
//
// To add one: a row here, a name in switch_wire.go, and what obeys it.
var requests = map[MessageType]request{
	MsgFeaturesRequest:  {obey: (*switchConn).features},
	MsgBarrierRequest:   {obey: (*switchConn).barrier},
	MsgGroupMod:         bundleable[MsgGroupMod],
	MsgFlowMod:          bundleable[MsgFlowMod],
	MsgMeterMod:         {least: 8, step: 8, writes: true, obey: (*switchConn).meterMod},
	MsgPacketOut:        bundleable[MsgPacketOut],
	MsgMultipartRequest: {least: openflow.MultipartHeaderLen - openflow.HeaderLen, step: 1, obey: (*switchConn).multipart},
	MsgRoleRequest:      {least: 16, obey: (*switchConn).roleRequest},
	MsgGetConfigRequest: {obey: (*switchConn).getConfig},
	MsgSetConfig:        {least: 4, obey: (*switchConn).setConfig},
	MsgGetAsyncRequest:  {obey: (*switchConn).getAsync},
	MsgSetAsync:         {step: 8, obey: (*switchConn).setAsync},
	MsgBundleControl:    {least: bundleControlBody, step: 8, writes: true, obey: (*switchConn).bundleControl},
	MsgBundleAdd:        {least: bundleControlBody, step: 1, writes: true, obey: (*switchConn).bundleAdd},
	MsgExperimenter:     {least: 8, step: 1, obey: (*switchConn).experimenter},
}

// bundleable are those of them that may be in a bundle.
var bundleable = map[MessageType]request{
	MsgGroupMod:  {least: groupModLen - openflow.HeaderLen, step: 8, writes: true, obey: (*switchConn).groupMod},
	MsgFlowMod:   {least: flowModFixed - openflow.HeaderLen, step: 8, writes: true, obey: (*switchConn).flowMod},
	MsgPacketOut: {least: 8, step: 1, writes: true, obey: (*switchConn).packetOut},
}

func (r request) fits(body int) bool {
	if r.step == 0 {
		return body == r.least
	}
	return body >= r.least && (body-r.least)%r.step == 0
}

func (c *switchConn) barrier(m []byte) ([][]byte, verdict) {
	return [][]byte{message(m[0], openflow.TypeBarrierReply, xidOf(m), nil)}, accepted
}

func (c *switchConn) groupMod(m []byte) ([][]byte, verdict) {
	g, v := parseGroupMod(m)
	if v == accepted {
		v = c.sw.groupMod(g)
	}
	if v == accepted {
		c.forward(g, xidOf(m))
	}
	return nil, v
}

// groupMod obeys a GROUP_MOD. An INSERT_BUCKET of nothing at the end of a group that
// has buckets makes Open vSwitch spin for ever, so this switch falls silent, too.
func (s *Switch) groupMod(g groupMod) verdict {
	if g.command == cmdInsert && g.at == bucketLast && len(g.buckets) == 0 {
		if old := s.table.groups[g.id]; old != nil && len(old.buckets) > 0 {
			s.hung = true
			return accepted
		}
	}
	gone := []uint32{g.id}
	if g.id == allGroups {
		gone = s.table.ids()
	}
	v := s.table.apply(g)
	if v == accepted && g.command == cmdDelete {
		for _, id := range gone {
			s.removeUsers(reference{openflow.ActionGroup, id}, removedByGroup)
		}
	}
	return v
}

func (c *switchConn) features(m []byte) ([][]byte, verdict) {
	const (
		datapathID   = 0x0000020000000001 // a locally administered address
		tables       = 254
		capabilities = 1 << 3 // OFPC_GROUP_STATS: of what exists here
	)
	body := be.AppendUint64(nil, datapathID)
	body = be.AppendUint32(body, 0) // no packet buffers
	body = append(body, tables, 0, 0, 0)
	body = be.AppendUint32(body, capabilities)
	body = be.AppendUint32(body, 0)
	return [][]byte{message(openflow.Version15, openflow.TypeFeaturesReply, xidOf(m), body)}, accepted
}
