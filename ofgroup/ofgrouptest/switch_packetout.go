package ofgrouptest

import (
	"bytes"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

const (
	noBuffer = 0xffffffff

	portMax        = 0xff00 // ordinary ports are below it
	portController = 0xfffffffd
)

// PacketOut is a packet that a controller had the switch send (section 7.3.6). Nothing
// comes of it: there is no datapath.
type PacketOut struct {
	Conn   int // the connection's number, as in Logged
	InPort ofgroup.Port
	Frame  []byte

	// Where the actions send it, in their order, and the actions as they came.
	Ports   []ofgroup.Port
	Groups  []ofgroup.ID
	Actions []byte
}

// PacketOuts returns the newest packets, as many as the log holds, in the order the switch
// took them, without the refused and the ignored ones. The memory is the caller's.
func (s *Switch) PacketOuts() []PacketOut {
	var all []PacketOut
	for _, l := range s.Log(MsgPacketOut) {
		if l.Refused == nil && !l.Ignored {
			p, _, _ := parsePacketOut(l.Message)
			p.Conn = l.Conn
			all = append(all, p)
		}
	}
	return all
}

// parsePacketOut takes a whole message apart; its result aliases it.
func parsePacketOut(m []byte) (p PacketOut, buffer uint32, v verdict) {
	buffer, n := be.Uint32(m[8:]), int(be.Uint16(m[12:]))
	fields, rest, v := parseMatch(m[16:])
	if v != accepted {
		return p, 0, v
	}
	in := fields.find(fieldInPort)
	for _, c := range fields {
		if !pipelineField(c.number) {
			return p, 0, pipelineOnly
		}
	}
	if in == nil || !sendsFrom(be.Uint32(in.value)) {
		return p, 0, badPort
	}
	if n%8 != 0 || n > len(rest) {
		return p, 0, badLen
	}
	p = PacketOut{InPort: ofgroup.Port(be.Uint32(in.value)), Actions: rest[:n], Frame: rest[n:]}
	kept, v := parseActions(p.Actions)
	for a := range eachAction(kept) {
		switch number := be.Uint32(a[actionHeader:]); be.Uint16(a) {
		case openflow.ActionOutput:
			p.Ports = append(p.Ports, ofgroup.Port(number))
		case openflow.ActionGroup:
			p.Groups = append(p.Groups, ofgroup.ID(number))
		}
	}
	return p, buffer, v
}

// pipelineField reports whether a packet without a port of its own can have the field.
func pipelineField(number uint32) bool {
	const tunnelID, actionSetOutput, packetType = basic | 38, basic | 43, basic | 44
	switch number {
	case fieldInPort, fieldMetadata, tunnelID, actionSetOutput, packetType:
		return true
	}
	return number>>16 == nxm1>>16 && matchRules[number].needs == needNothing
}

// sendsFrom reports whether a packet can come from a port: any that could be a real one, the
// controller, the switch's own, or none.
func sendsFrom(port uint32) bool { return port < portMax || port >= portController }

// packetOut obeys a PACKET_OUT as far as there is something to obey.
func (c *switchConn) packetOut(m []byte) ([][]byte, verdict) {
	p, buffer, v := parsePacketOut(bytes.Clone(m))
	switch {
	case v != accepted:
		return nil, v
	case buffer != noBuffer:
		return nil, bufferUnknown
	}
	return nil, c.sw.checkActionReferences(p.Actions)
}
