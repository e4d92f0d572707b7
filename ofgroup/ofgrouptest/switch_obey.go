package ofgrouptest

import (
	"time"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// obey takes one message; false ends the connection after what is queued.
func (c *switchConn) obey(m []byte) bool {
	t := MessageType(m[1])
	if !c.greeted {
		c.greeted = true
		return c.greet(m)
	}
	fault, replies := c.sw.answer(t, m)
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
func (s *Switch) answer(t MessageType, m []byte) (Fault, [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[t]++
	fault := s.faultFor(t)
	refused := fault.Refuse
	var replies [][]byte
	if !s.hung && !fault.Ignore && refused == nil {
		var v verdict
		if replies, v = s.execute(t, m); v != accepted {
			refused = v.refusal()
		}
	}
	if t == MsgGroupMod {
		s.log.add(m, refused)
	}
	if s.hung || fault.Mute {
		return fault, nil
	}
	if refused != nil {
		replies = [][]byte{errorMessage(m, *refused)}
	}
	return fault, replies
}

func (s *Switch) execute(t MessageType, m []byte) ([][]byte, verdict) {
	if t == MsgEchoRequest { // in any version
		return [][]byte{message(m[0], openflow.TypeEchoReply, xidOf(m), m[openflow.HeaderLen:])}, accepted
	}
	if m[0] != openflow.Version15 {
		return nil, badVersion
	}
	switch t {
	case MsgEchoReply, MsgError:
		return nil, accepted
	case MsgFeaturesRequest:
		return bare(m, [][]byte{featuresReply(xidOf(m))})
	case MsgBarrierRequest:
		return bare(m, [][]byte{message(m[0], openflow.TypeBarrierReply, xidOf(m), nil)})
	case MsgGroupMod:
		return nil, s.groupMod(m)
	case MsgMultipartRequest:
		return s.multipart(m)
	}
	return nil, badType
}

// bare is for requests that are a header and nothing else.
func bare(m []byte, replies [][]byte) ([][]byte, verdict) {
	if len(m) != openflow.HeaderLen {
		return nil, badLen
	}
	return replies, accepted
}

// groupMod obeys a GROUP_MOD. An INSERT_BUCKET of nothing at the end of a group that
// has buckets makes Open vSwitch spin for ever, so this switch falls silent, too.
func (s *Switch) groupMod(m []byte) verdict {
	g, v := parseGroupMod(m)
	if v != accepted {
		return v
	}
	if g.command == cmdInsert && g.at == bucketLast && len(g.buckets) == 0 {
		if old := s.table.groups[g.id]; old != nil && len(old.buckets) > 0 {
			s.hung = true
			return accepted
		}
	}
	return s.table.apply(g)
}

func (s *Switch) multipart(m []byte) ([][]byte, verdict) {
	const descRequestLen = openflow.MultipartHeaderLen + 8 // group ID and padding: 1.5 only
	if len(m) < openflow.MultipartHeaderLen {
		return nil, badLen
	}
	if be.Uint16(m[openflow.HeaderLen:]) != openflow.MultipartGroupDesc {
		return nil, badMultipart
	}
	if len(m) != descRequestLen {
		return nil, badLen
	}
	ids := []uint32{be.Uint32(m[openflow.MultipartHeaderLen:])}
	if ids[0] == allGroups {
		ids = s.table.ids()
	}
	return s.table.describeReplies(ids, xidOf(m)), accepted
}

func featuresReply(xid uint32) []byte {
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
	return message(openflow.Version15, openflow.TypeFeaturesReply, xid, body)
}
