package main

import (
	"encoding/binary"
	"slices"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// strayFlow is the deletion of a flow that the switch has described: the match is the bytes it was
// described with, whatever they say.
type strayFlow ofconn.FlowStats

// In a FLOW_MOD of both versions (OpenFlow 1.5.1, 7.3.4.2) the match stands behind what has a fixed
// length; without fields it takes as much as in a statistics request.
const (
	offLength     = 2
	offFlowMatch  = 48
	emptyMatchLen = 8
)

// AppendMessage appends the message; see ofconn.Message.
func (f strayFlow) AppendMessage(b []byte, v ofgroup.Version) ([]byte, error) {
	text, err := ofconn.FlowMod{
		Command: ofconn.FlowDeleteStrict, Table: f.Table, Priority: f.Priority, Cookie: f.Cookie, CookieMask: ^uint64(0),
	}.AppendMessage(nil, v)
	if err != nil {
		return b, err
	}
	text = slices.Concat(text[:offFlowMatch], f.Match, text[offFlowMatch+emptyMatchLen:])
	if len(text) > 1<<16-1 {
		return b, ofconn.ErrTooLarge
	}
	binary.BigEndian.PutUint16(text[offLength:], uint16(len(text)))
	return append(b, text...), nil
}
