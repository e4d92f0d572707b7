package ofconn

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// A hello is the header and elements of type, length and padding to eight
// bytes. The one element defined lists versions as bits of 32-bit words
// (OpenFlow 1.5.1, 7.5.1).
const (
	helloVersionBitmap = 1
	helloElementHeader = 4
	helloLen           = openflow.HeaderLen + 8
	maxBitmapVersion   = 31 // what the first word can say; versions end at 6
)

// appendHello appends our hello: the highest version in the header, all of
// them in the bitmap.
func appendHello(b []byte, xid uint32, versions []ofgroup.Version) []byte {
	var bitmap uint32
	for _, v := range versions {
		bitmap |= 1 << v
	}
	b = openflow.AppendHeader(b, openflow.Header{
		Version: uint8(slices.Max(versions)), Type: openflow.TypeHello, Length: helloLen, XID: xid,
	})
	b = binary.BigEndian.AppendUint16(b, helloVersionBitmap)
	b = binary.BigEndian.AppendUint16(b, helloLen-openflow.HeaderLen)
	return binary.BigEndian.AppendUint32(b, bitmap)
}

// peerVersions reads which versions a hello offers. Without a bitmap they are
// all up to the header's (OpenFlow 1.5.1, 6.3.1). Elements that we do not know,
// and whatever follows one whose length cannot be, are skipped: a hello is
// never refused for its form.
func peerVersions(hello []byte) []ofgroup.Version {
	for rest := hello[openflow.HeaderLen:]; len(rest) >= helloElementHeader; {
		kind := binary.BigEndian.Uint16(rest)
		length := int(binary.BigEndian.Uint16(rest[2:]))
		if length < helloElementHeader || length > len(rest) {
			break
		}
		if kind == helloVersionBitmap && length >= helloElementHeader+4 {
			return bitmapVersions(binary.BigEndian.Uint32(rest[helloElementHeader:]))
		}
		rest = rest[min((length+7)&^7, len(rest)):]
	}
	highest := min(hello[0], maxBitmapVersion)
	return bitmapVersions(1<<(highest+1) - 2)
}

// bitmapVersions lists the bits of a bitmap's first word. It is not nil, even if
// there are none: that is an offer, too, of nothing.
func bitmapVersions(bitmap uint32) []ofgroup.Version {
	versions := []ofgroup.Version{}
	for v := range ofgroup.Version(maxBitmapVersion + 1) {
		if bitmap&(1<<v) != 0 {
			versions = append(versions, v)
		}
	}
	return versions
}

// negotiate chooses the highest version that is in both lists. The error is an
// *IncompatibleError.
func negotiate(ours, theirs []ofgroup.Version) (ofgroup.Version, error) {
	var best ofgroup.Version
	for _, v := range ours {
		if slices.Contains(theirs, v) {
			best = max(best, v)
		}
	}
	if best == 0 {
		return 0, &IncompatibleError{Offered: ours, Peer: theirs}
	}
	return best, nil
}

// appendHelloFailed appends OFPHFC_INCOMPATIBLE, which carries a text for
// people (OpenFlow 1.5.1, 7.5.4.1).
func appendHelloFailed(b []byte, version uint8, xid uint32, text string) []byte {
	const fixed = openflow.HeaderLen + 4
	text = text[:min(len(text), openflow.MaxLen-fixed)]
	b = openflow.AppendHeader(b, openflow.Header{
		Version: version, Type: openflow.TypeError, Length: uint16(fixed + len(text)), XID: xid,
	})
	b = binary.BigEndian.AppendUint16(b, openflow.ErrorHelloFailed)
	b = binary.BigEndian.AppendUint16(b, helloIncompatible)
	return append(b, text...)
}

// helloIncompatible is OFPHFC_INCOMPATIBLE.
const helloIncompatible = 0

// helloRefused turns the switch's refusal of our hello into our error; false
// if the error message is about something else.
func helloRefused(e *ofgroup.SwitchError, ours []ofgroup.Version) (error, bool) {
	switch {
	case e.Type != openflow.ErrorHelloFailed:
		return nil, false
	case e.Code == helloIncompatible:
		return &IncompatibleError{Offered: ours, Text: string(e.Data)}, true
	default:
		return fmt.Errorf("hello: %w", e), true
	}
}
