package ofgrouptest

import "github.com/ofmcast/ofmcast/internal/openflow"

// multipart answers a request for a description or for statistics. All of those that exist
// here, but the features, name one thing, or all, in four bytes with four of padding.
func (c *switchConn) multipart(m []byte) ([][]byte, verdict) {
	kind := be.Uint16(m[openflow.HeaderLen:])
	named := 8
	if kind == openflow.MultipartGroupFeatures {
		named = 0
	}
	if !multiparts[kind] {
		return nil, badMultipart
	}
	if len(m) != openflow.MultipartHeaderLen+named {
		return nil, badLen
	}
	var entries [][]byte
	switch kind {
	case openflow.MultipartGroupFeatures:
		entries = [][]byte{groupFeatures()}
	case openflow.MultipartPortDesc:
		var v verdict
		if entries, v = c.sw.describePorts(be.Uint32(m[openflow.MultipartHeaderLen:])); v != accepted {
			return nil, v
		}
	case openflow.MultipartGroup:
		entries = c.sw.statistics(c.sw.table.named(m))
	default:
		entries = c.sw.table.descriptions(c.sw.table.named(m))
	}
	return multipartReplies(xidOf(m), kind, entries), accepted
}

// multiparts are the kinds that the switch answers.
var multiparts = map[uint16]bool{
	openflow.MultipartGroup: true, openflow.MultipartGroupDesc: true,
	openflow.MultipartGroupFeatures: true, openflow.MultipartPortDesc: true,
}

// named are the numbers of the groups that a multipart request asks for.
func (t *groupTable) named(m []byte) []uint32 {
	which := be.Uint32(m[openflow.MultipartHeaderLen:])
	if which == allGroups {
		return t.ids()
	}
	return []uint32{which}
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
