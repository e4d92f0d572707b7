package igmp

import "errors"

// Why a frame, a packet or a payload was refused. A Decoder returns these values bare, so a refusal allocates nothing;
// Parse, UnmarshalBinary and the encoders wrap them in *Error. Compare with errors.Is in both cases.
var (
	// ErrFrameShort: the frame ends inside the Ethernet header or a VLAN tag.
	ErrFrameShort = errors.New("frame ends in the Ethernet header")
	// ErrVLANDepth: more than two VLAN tags, on the wire or in a Header.
	ErrVLANDepth = errors.New("more than two VLAN tags")
	// ErrNotIPv4: the EtherType is another one (IPv6, ARP, IEEE 802.3 with LLC, a tag other than 0x8100 and 0x88a8).
	ErrNotIPv4 = errors.New("not IPv4")
	// ErrNotIGMP: a sound IPv4 header with another protocol than 2. The View then carries the header's facts, the
	// protocol and its payload, so that PIM hellos (protocol 103) can be recognised as a sign of a router.
	ErrNotIGMP = errors.New("not IGMP")
	// ErrIPHeader: the IPv4 header is cut, its version is not 4, or its header length is under 20 or past the end.
	ErrIPHeader = errors.New("IPv4 header malformed")
	// ErrIPLength: the IPv4 total length is smaller than the header or larger than what is there (RFC 791 3.1).
	ErrIPLength = errors.New("IPv4 total length wrong")
	// ErrIPOptions: an IPv4 option has a length under 2 or past the end of the header (RFC 791 3.1).
	ErrIPOptions = errors.New("IPv4 options malformed")
	// ErrIPChecksum: the IPv4 header checksum is wrong (RFC 1122 3.2.1.2: silently discard).
	ErrIPChecksum = errors.New("IPv4 header checksum wrong")
	// ErrFragment: a fragment. No IGMP sender fragments, and a later one would be read as a header.
	ErrFragment = errors.New("IPv4 fragment")
	// ErrTooShort: under 4 bytes of IGMP, or under 8 for a query, report or leave (RFC 9776 7.1).
	ErrTooShort = errors.New("IGMP message too short")
	// ErrQueryLength: a query of 9 to 11 bytes is of no version (RFC 9776 7.1).
	ErrQueryLength = errors.New("IGMP query of 9 to 11 bytes")
	// ErrChecksum: the IGMP checksum, over the whole IP payload, is wrong (RFC 9776 4.1.2, 4.2.2).
	ErrChecksum = errors.New("IGMP checksum wrong")
	// ErrSources: a query announces more sources than it holds.
	ErrSources = errors.New("sources past the end of the query")
	// ErrRecords: a report announces more records, sources or auxiliary data than it holds. None of it is used.
	ErrRecords = errors.New("records past the end of the report")
)

// Why a message was not encoded (or, for ErrType and ErrTooLong, not decoded either).
var (
	// ErrType: the type byte belongs to another Go type than the one it was put into.
	ErrType = errors.New("wrong message type")
	// ErrTooLong: more than an IPv4 packet can hold.
	ErrTooLong = errors.New("message too long")
	// ErrNoMessage: nil instead of a message.
	ErrNoMessage = errors.New("no message")
	// ErrAddress: not an IPv4 address. The zero netip.Addr and IPv6 are refused, ::ffff:a.b.c.d is unmapped.
	ErrAddress = errors.New("not an IPv4 address")
	// ErrVersion: a Query whose version is not 1, 2 or 3.
	ErrVersion = errors.New("no such IGMP version")
	// ErrVersionSources: a Query of version 1 or 2 with sources.
	ErrVersionSources = errors.New("sources need IGMPv3")
	// ErrTime: a duration that its field cannot express.
	ErrTime = errors.New("time out of range")
	// ErrRecordType: a Record whose type is none of the six.
	ErrRecordType = errors.New("no such record type")
	// ErrDestination: no destination given, and none follows from the message.
	ErrDestination = errors.New("no destination for this message")
	// ErrMAC: the source MAC of a frame is zero or a group address.
	ErrMAC = errors.New("not a station's MAC address")
	// ErrVLAN: a VLAN with a tag type, ID or priority that cannot be sent.
	ErrVLAN = errors.New("VLAN tag out of range")
)

// Error says what was being done to which message, and where it failed. It wraps one of the sentinels above.
type Error struct {
	// Op is "decode" or "encode".
	Op string
	// Type is the message's type; 0 when not even that was there.
	Type Type
	// Where names the part at fault ("group", "record 3: source 1"); empty when the whole message is.
	Where string
	// Err is the cause.
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	s := "igmp: " + e.Op + " " + e.Type.String() + ": "
	if e.Where != "" {
		s += e.Where + ": "
	}
	return s + e.Err.Error()
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Err }

func encodeError(t Type, where string, err error) error {
	return &Error{Op: "encode", Type: t, Where: where, Err: err}
}
