package ofconn

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// GroupDesc reads what the switch holds under one group ID; false if it holds
// no such group. It sees every message whose Send returned before. An answer that
// describes the group twice, or in OpenFlow 1.5 another one, is ErrProtocol.
//
// OpenFlow 1.5 asks for the one group. OpenFlow 1.3 cannot: there the switch
// answers with all of its groups, whoever's they are, of which the one is
// picked; and Open vSwitch cannot describe a group of more than 2,047 output
// buckets in 1.3 without breaking the stream.
func (s *Session) GroupDesc(ctx context.Context, id ofgroup.ID) (ofgroup.Group, bool, error) {
	if id > ofgroup.MaxID {
		return ofgroup.Group{}, false, descError(id, ofgroup.NotSent(ofgroup.ErrReservedID))
	}
	c := newCall(appendGroupDescRequest(nil, s.version, id), openflow.TypeMultipartReply)
	c.part = openflow.MultipartGroupDesc
	if err := s.do(ctx, c); err != nil {
		return ofgroup.Group{}, false, descError(id, err)
	}
	groups, err := ofgroup.ParseGroupDesc(s.version, c.reply)
	if err != nil {
		return ofgroup.Group{}, false, descError(id, err)
	}
	held, err := theOne(groups, id, s.version)
	switch {
	case err != nil:
		return ofgroup.Group{}, false, descError(id, err)
	case held == nil:
		return ofgroup.Group{}, false, nil
	}
	return *held, true, nil
}

// theOne is the group of this number, or nil. In 1.5 no other was asked for, and
// to ignore one would turn a muddled answer into "there is no such group".
func theOne(groups []ofgroup.Group, id ofgroup.ID, v ofgroup.Version) (*ofgroup.Group, error) {
	var found *ofgroup.Group
	for i, g := range groups {
		switch {
		case g.ID() != id && v == ofgroup.OpenFlow15:
			return nil, fmt.Errorf("ofconn: %w: the answer describes group %v", ErrProtocol, g.ID())
		case g.ID() != id:
		case found != nil:
			return nil, fmt.Errorf("ofconn: %w: the group is described twice", ErrProtocol)
		default:
			found = &groups[i]
		}
	}
	return found, nil
}

// appendGroupDescRequest appends the request: in 1.5 with the ID and four bytes
// of padding (OpenFlow 1.5.1, 7.3.5.10), in 1.3 without a body.
func appendGroupDescRequest(b []byte, v ofgroup.Version, id ofgroup.ID) []byte {
	var body []byte
	if v == ofgroup.OpenFlow15 {
		body = binary.BigEndian.AppendUint32(body, uint32(id))
		body = append(body, make([]byte, 4)...)
	}
	return appendMultipartRequest(b, uint8(v), openflow.MultipartGroupDesc, body)
}

func descError(id ofgroup.ID, err error) error {
	return &ofgroup.Error{Op: "describe", ID: id, Bucket: ofgroup.NoBucket, Err: err}
}
