package ofgrouptest

import (
	"encoding/binary"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// MessageType is the type byte of an OpenFlow header. Types that a controller may
// send and the switch understands have a name here.
type MessageType uint8

// Message types of OpenFlow 1.5 (section 7.1).
const (
	MsgHello            MessageType = openflow.TypeHello
	MsgError            MessageType = openflow.TypeError
	MsgEchoRequest      MessageType = openflow.TypeEchoRequest
	MsgEchoReply        MessageType = openflow.TypeEchoReply
	MsgExperimenter     MessageType = openflow.TypeExperimenter
	MsgFeaturesRequest  MessageType = openflow.TypeFeaturesRequest
	MsgGetConfigRequest MessageType = openflow.TypeGetConfigRequest
	MsgSetConfig        MessageType = openflow.TypeSetConfig
	MsgPacketOut        MessageType = openflow.TypePacketOut
	MsgFlowMod          MessageType = openflow.TypeFlowMod
	MsgGroupMod         MessageType = openflow.TypeGroupMod
	MsgMultipartRequest MessageType = openflow.TypeMultipartRequest
	MsgBarrierRequest   MessageType = openflow.TypeBarrierRequest
	MsgRoleRequest      MessageType = openflow.TypeRoleRequest
	MsgGetAsyncRequest  MessageType = typeGetAsyncRequest
	MsgSetAsync         MessageType = openflow.TypeSetAsync
	MsgMeterMod         MessageType = openflow.TypeMeterMod
	MsgBundleControl    MessageType = openflow.TypeBundleControl
	MsgBundleAdd        MessageType = openflow.TypeBundleAdd
)

// Message types that only this switch deals with.
const (
	typeGetAsyncRequest = 26
	typeGetAsyncReply   = 27
)

// Refusal is an OpenFlow error as the wire numbers it (section 7.5.4).
type Refusal struct{ Type, Code uint16 }

var be = binary.BigEndian

// message renders one whole message. Its length wraps at 16 bits without a word,
// as the real switch's does: a group grown past 64 KiB then breaks the reader's
// framing, and readers must survive that.
func message(version uint8, t uint8, xid uint32, body []byte) []byte {
	b := make([]byte, 0, openflow.HeaderLen+len(body))
	b = openflow.AppendHeader(b, openflow.Header{
		Version: version,
		Type:    t,
		Length:  uint16((openflow.HeaderLen + len(body)) & openflow.MaxLen),
		XID:     xid,
	})
	return append(b, body...)
}

// errorMessage quotes the whole request, not its first 64 bytes, and answers in
// the request's own version; only the error's own length cuts the quote.
func errorMessage(request []byte, r Refusal) []byte {
	const fixed = openflow.HeaderLen + 4
	quote := request[:min(len(request), openflow.MaxLen-fixed)]
	body := make([]byte, 0, 4+len(quote))
	body = be.AppendUint16(body, r.Type)
	body = be.AppendUint16(body, r.Code)
	return message(request[0], openflow.TypeError, xidOf(request), append(body, quote...))
}

func xidOf(m []byte) uint32 { return be.Uint32(m[4:]) }
