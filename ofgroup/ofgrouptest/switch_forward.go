package ofgrouptest

import "github.com/ofmcast/ofmcast/internal/openflow"

// forwardGroupMod is the reason of a REQUESTFORWARD that tells of a GROUP_MOD; it is the
// only one that this switch gives.
const forwardGroupMod = 0

// forward tells the other connections that asked for it what one of them did to a group
// (OFPT_REQUESTFORWARD, section 7.4.6). Like Open vSwitch it writes the request anew, under
// its transaction ID: with an ADD for ADD_OR_MOD, with weights that were implied, and with the
// group's true type, but in a DELETE. The message around it has the transaction ID 0.
func (c *switchConn) forward(m groupMod, xid uint32) {
	to := c.sw.wanting(asyncRequestForward, forwardGroupMod)
	if len(to) == 0 {
		return
	}
	if g := c.sw.table.groups[m.id]; g != nil {
		m.kind = g.kind
	}
	if m.command == cmdAddOrMod {
		m.command = cmdAdd
	}
	inner := message(openflow.Version15, openflow.TypeGroupMod, xid, m.body())
	told := message(openflow.Version15, openflow.TypeRequestForward, 0, inner)
	for _, other := range to {
		if other != c {
			other.offer(told)
		}
	}
}

// body is the GROUP_MOD behind its OpenFlow header.
func (m groupMod) body() []byte {
	var buckets []byte
	for _, k := range m.buckets {
		buckets = k.describe(buckets, m.kind)
	}
	b := be.AppendUint16(nil, m.command)
	b = append(b, m.kind, 0)
	b = be.AppendUint32(b, m.id)
	b = be.AppendUint16(b, uint16(len(buckets)&openflow.MaxLen))
	b = append(b, 0, 0)
	b = be.AppendUint32(b, m.at)
	return append(append(b, buckets...), m.props...)
}
