package igmp

// Layer says how far a frame could be read.
type Layer uint8

// The layers of a frame. Each includes those before it, as far as the Decoder's input had them.
const (
	LayerNone     Layer = iota // the Ethernet header is cut, or there is none
	LayerEthernet              // addresses and tags are filled in
	LayerIPv4                  // and the facts of the IPv4 header
	LayerIGMP                  // and the whole message
)

// String returns the layer's name.
func (l Layer) String() string {
	switch l {
	case LayerNone:
		return "none"
	case LayerEthernet:
		return "Ethernet"
	case LayerIPv4:
		return "IPv4"
	case LayerIGMP:
		return "IGMP"
	}
	return unknown("Layer", uint8(l))
}

// ChecksumState is what became of a checksum.
type ChecksumState uint8

// The states of a checksum.
const (
	ChecksumUnread ChecksumState = iota // the reading ended before it, or the input does not have it
	ChecksumGood
	ChecksumBad
)

// String returns "unread", "good" or "bad".
func (s ChecksumState) String() string {
	switch s {
	case ChecksumUnread:
		return "unread"
	case ChecksumGood:
		return "good"
	case ChecksumBad:
		return "bad"
	}
	return unknown("ChecksumState", uint8(s))
}
