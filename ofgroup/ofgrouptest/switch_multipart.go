package ofgrouptest

import "github.com/ofmcast/ofmcast/internal/openflow"

// multipart answers a request for a description. Both that exist here name one thing,
// or all, in four bytes with four of padding (1.5 only).
func (c *switchConn) multipart(m []byte) ([][]byte, verdict) {
	const requestLen = openflow.MultipartHeaderLen + 8
	kind := be.Uint16(m[openflow.HeaderLen:])
	switch {
	case kind != openflow.MultipartGroupDesc && kind != openflow.MultipartPortDesc:
		return nil, badMultipart
	case len(m) != requestLen:
		return nil, badLen
	}
	which := be.Uint32(m[openflow.MultipartHeaderLen:])
	var entries [][]byte
	if kind == openflow.MultipartPortDesc {
		var v verdict
		if entries, v = c.sw.describePorts(which); v != accepted {
			return nil, v
		}
	} else {
		ids := []uint32{which}
		if which == allGroups {
			ids = c.sw.table.ids()
		}
		entries = c.sw.table.descriptions(ids)
	}
	return multipartReplies(xidOf(m), kind, entries), accepted
}

// multipartReplies cuts entries into replies, as full as they get, between entries and
// never within one.
func multipartReplies(xid uint32, kind uint16, entries [][]byte) [][]byte {
	const room = openflow.MaxLen - openflow.MultipartHeaderLen
	var replies [][]byte
	var part []byte
	for _, entry := range entries {
		if len(part)+len(entry) > room {
			replies = append(replies, multipartReply(xid, kind, openflow.MultipartMore, part))
			part = nil
		}
		part = append(part, entry...)
	}
	return append(replies, multipartReply(xid, kind, 0, part))
}

func multipartReply(xid uint32, kind, flags uint16, body []byte) []byte {
	b := make([]byte, 0, 8+len(body))
	b = be.AppendUint16(b, kind)
	b = be.AppendUint16(b, flags)
	b = append(b, 0, 0, 0, 0)
	return message(openflow.Version15, openflow.TypeMultipartReply, xid, append(b, body...))
}
