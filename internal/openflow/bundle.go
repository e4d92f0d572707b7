package openflow

import "encoding/binary"

// A bundle is a set of messages that a switch carries out as one (OpenFlow 1.5.1,
// 7.3.9). OpenFlow 1.3 has it as an extension, EXT-230: the same bodies behind the
// vendor and a subtype of an experimenter message.
const (
	ONFVendor = 0x4f4e4600

	onfBundleControl = 2300
	onfBundleAdd     = 2301

	// ONFBundleFailed is what EXT-230 adds to the codes of ErrorBundleFailed, in errors
	// of type ErrorExperimenter.
	ONFBundleFailed = 2300
)

// BundleStep is the type of a BundleControl. The answer to a request is the step
// after it.
type BundleStep uint16

const (
	BundleOpen      BundleStep = 0
	BundleOpened    BundleStep = 1
	BundleClose     BundleStep = 2
	BundleClosed    BundleStep = 3
	BundleCommit    BundleStep = 4
	BundleCommitted BundleStep = 5
	BundleDiscard   BundleStep = 6
	BundleDiscarded BundleStep = 7
)

// Flags of a bundle.
const (
	BundleAtomic  = 1 << 0 // all or nothing
	BundleOrdered = 1 << 1 // in the order of the messages
)

// BundleControl opens, closes, commits or discards a bundle, or answers that.
type BundleControl struct {
	ID    uint32 // of the bundle, chosen by the controller, its connection's own
	Step  BundleStep
	Flags uint16 // the same in all messages about a bundle; 0 in Open vSwitch's answers
}

// BundleAdd puts one message into a bundle.
type BundleAdd struct {
	ID    uint32
	Flags uint16

	// Message is the whole message. Its transaction ID must be that of the BundleAdd
	// around it.
	Message []byte
}

const (
	bundleLen       = 8 // of the body of a BundleControl, and before a BundleAdd's message
	offBundleStep   = 4
	offBundleFlags  = 6
	onfHeaderLen    = HeaderLen + 8
	offVendor       = HeaderLen
	offSubtype      = HeaderLen + 4
	maxBundleHeader = onfHeaderLen + bundleLen
)

// BundleHeaderLen is where in a BundleAdd its message begins.
func BundleHeaderLen(version uint8) int {
	if version == Version13 {
		return maxBundleHeader
	}
	return HeaderLen + bundleLen
}

// AppendBundleControl appends the message, with the transaction ID 0.
func AppendBundleControl(b []byte, version uint8, c BundleControl) []byte {
	b = appendBundleHeader(b, version, TypeBundleControl, onfBundleControl, BundleHeaderLen(version))
	b = binary.BigEndian.AppendUint32(b, c.ID)
	b = binary.BigEndian.AppendUint16(b, uint16(c.Step))
	return binary.BigEndian.AppendUint16(b, c.Flags)
}

// AppendBundleAdd appends the message, with the transaction ID 0; false, and b as it
// was, if it would be longer than messages can be.
func AppendBundleAdd(b []byte, version uint8, a BundleAdd) ([]byte, bool) {
	n := BundleHeaderLen(version) + len(a.Message)
	if n > MaxLen {
		return b, false
	}
	b = appendBundleHeader(b, version, TypeBundleAdd, onfBundleAdd, n)
	b = binary.BigEndian.AppendUint32(b, a.ID)
	b = binary.BigEndian.AppendUint32(b, uint32(a.Flags)) // behind two bytes of padding
	return append(b, a.Message...), true
}

// appendBundleHeader appends what comes before the body. n fits: it was checked.
func appendBundleHeader(b []byte, version, typ uint8, subtype uint32, n int) []byte {
	length, _ := Narrow[uint16](n)
	if version != Version13 {
		return AppendHeader(b, Header{Version: version, Type: typ, Length: length})
	}
	b = AppendHeader(b, Header{Version: version, Type: TypeExperimenter, Length: length})
	b = binary.BigEndian.AppendUint32(b, ONFVendor)
	return binary.BigEndian.AppendUint32(b, subtype)
}

// ParseBundleControl reads a whole message; false if it is none of these. Properties,
// which may follow, are passed over.
func ParseBundleControl(msg []byte) (BundleControl, bool) {
	body, ok := bundleBody(msg, TypeBundleControl, onfBundleControl)
	if !ok {
		return BundleControl{}, false
	}
	return BundleControl{
		ID:    binary.BigEndian.Uint32(body),
		Step:  BundleStep(binary.BigEndian.Uint16(body[offBundleStep:])),
		Flags: binary.BigEndian.Uint16(body[offBundleFlags:]),
	}, true
}

// ParseBundleAdd reads a whole message; false if it is none of these, or has no whole
// message in it. Message aliases msg, and ends where its own header says: properties,
// which may follow, are passed over.
func ParseBundleAdd(msg []byte) (BundleAdd, bool) {
	body, ok := bundleBody(msg, TypeBundleAdd, onfBundleAdd)
	if !ok {
		return BundleAdd{}, false
	}
	inner, err := ParseHeader(body[bundleLen:])
	if err != nil || int(inner.Length) > len(body)-bundleLen {
		return BundleAdd{}, false
	}
	return BundleAdd{
		ID:      binary.BigEndian.Uint32(body),
		Flags:   binary.BigEndian.Uint16(body[offBundleFlags:]),
		Message: body[bundleLen:][:inner.Length],
	}, true
}

// bundleBody is what follows the header, of at least bundleLen bytes.
func bundleBody(msg []byte, typ uint8, subtype uint32) ([]byte, bool) {
	h, err := ParseHeader(msg)
	if err != nil || int(h.Length) != len(msg) {
		return nil, false
	}
	n := BundleHeaderLen(h.Version)
	switch {
	case len(msg) < n:
		return nil, false
	case h.Version != Version13:
		return msg[HeaderLen:], h.Type == typ
	default:
		return msg[onfHeaderLen:], h.Type == TypeExperimenter &&
			binary.BigEndian.Uint32(msg[offVendor:]) == ONFVendor && binary.BigEndian.Uint32(msg[offSubtype:]) == subtype
	}
}

// PutBundleXID is PutXID for an encoded BundleAdd: the message in it gets the same one,
// without which a switch refuses it.
func PutBundleXID(msg []byte, xid uint32) {
	PutXID(msg, xid)
	PutXID(msg[BundleHeaderLen(msg[offVersion]):], xid)
}
