package main

import (
	"encoding/binary"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// decodeReply reads a multipart reply, or a part of one.
func decodeReply(msg []byte) (decoded, error) {
	kind, err := multipartKind(msg)
	if err != nil {
		return decoded{}, err
	}
	v, body := ofgroup.Version(msg[0]), msg[openflow.MultipartHeaderLen:]
	switch kind {
	case openflow.MultipartGroupDesc:
		groups, err := ofgroup.ParseGroupDesc(v, body)
		return entries(msg, groups, "", ofgroup.AppendGroupDesc), err
	case openflow.MultipartGroup:
		stats, err := ofgroup.ParseGroupStats(v, body)
		return entries(msg, stats, commentMark, ofgroup.AppendGroupStats), err
	default:
		f, err := ofgroup.ParseGroupFeatures(v, body)
		return comment(f.String(), func() ([]byte, error) {
			return reply(msg, ofgroup.AppendGroupFeatures(nil, f)), nil
		}), err
	}
}

// multipartKind is what a multipart request or reply is about, which must be groups.
func multipartKind(msg []byte) (uint16, error) {
	if len(msg) < openflow.MultipartHeaderLen {
		return 0, fmt.Errorf("%w: no multipart header", errLength)
	}
	kind := binary.BigEndian.Uint16(msg[openflow.HeaderLen:])
	switch kind {
	case openflow.MultipartGroup, openflow.MultipartGroupDesc, openflow.MultipartGroupFeatures:
		return kind, nil
	}
	return 0, fmt.Errorf("%w: OpenFlow multipart type %d", errType, kind)
}

// entries are a line for each group of a reply, and one that says so if there is none.
func entries[E fmt.Stringer](msg []byte, all []E, mark string, add func([]byte, ofgroup.Version, E) ([]byte, error)) decoded {
	d := decoded{encode: func() (body []byte, err error) {
		for _, e := range all {
			if body, err = add(body, ofgroup.Version(msg[0]), e); err != nil {
				return nil, err
			}
		}
		return reply(msg, body), nil
	}}
	for _, e := range all {
		d.lines = append(d.lines, mark+e.String())
	}
	if len(all) == 0 {
		d.lines = []string{commentMark + "no groups"}
	}
	return d
}

// reply is a body behind the header of the message that it was decoded from. It has the same length,
// or the difference shows.
func reply(msg, body []byte) []byte {
	return append(append([]byte(nil), msg[:openflow.MultipartHeaderLen]...), body...)
}
