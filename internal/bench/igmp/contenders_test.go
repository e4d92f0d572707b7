package igmpbench

import (
	"encoding/binary"
	"errors"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"github.com/ofmcast/ofmcast/igmp"
)

// A contender decodes the same bytes n times and returns the sum of the last bytes of every group and source in them,
// which proves that it visited each, and an error if one decoding failed.
type contender func(b []byte, n int) (sum int, err error)

// ours verifies the IPv4 and the IGMP checksum.
func ours(decode func(*igmp.Decoder, []byte) (*igmp.View, error)) contender {
	return func(b []byte, n int) (sum int, err error) {
		var d igmp.Decoder
		for range n {
			v, err := decode(&d, b)
			if err != nil {
				return 0, err
			}
			sum = visit(v)
		}
		return sum, nil
	}
}

func visit(v *igmp.View) (sum int) {
	if v.Group.IsValid() {
		sum += int(v.Group.As4()[3])
	}
	for s := range v.Sources() {
		sum += int(s.As4()[3])
	}
	for r := range v.Records() {
		sum += int(r.Group.As4()[3])
		for s := range r.Sources() {
			sum += int(s.As4()[3])
		}
	}
	return sum
}

// packetParser is gopacket's DecodingLayerParser, its fast way, with the layer that the message's version needs. It
// verifies no checksum.
func packetParser(first gopacket.LayerType, v3 bool) contender {
	var (
		eth   layers.Ethernet
		tag   layers.Dot1Q
		ip    layers.IPv4
		older layers.IGMPv1or2
		newer layers.IGMP
	)
	parser := gopacket.NewDecodingLayerParser(first, &eth, &tag, &ip)
	if v3 {
		parser.AddDecodingLayer(&newer)
	} else {
		parser.AddDecodingLayer(&older)
	}
	var decoded []gopacket.LayerType
	return func(b []byte, n int) (sum int, err error) {
		for range n {
			if err := parser.DecodeLayers(b, &decoded); err != nil {
				return 0, err
			}
			if v3 {
				sum = visitPacket(&newer)
			} else {
				sum = int(older.GroupAddress[3])
			}
		}
		return sum, nil
	}
}

func visitPacket(m *layers.IGMP) (sum int) {
	if len(m.GroupAddress) > 0 {
		sum += int(m.GroupAddress[3])
	}
	for _, s := range m.SourceAddresses {
		sum += int(s[3])
	}
	for i := range m.GroupRecords {
		r := &m.GroupRecords[i]
		sum += int(r.MulticastAddress[3])
		for _, s := range r.SourceAddresses {
			sum += int(s[3])
		}
	}
	return sum
}

const (
	ethHeader = 14
	minFrame  = ethHeader + 20
)

var errShort = errors.New("short")

// bareFrame reads what the message needs of an untagged frame and trusts the rest.
func bareFrame(b []byte, n int) (sum int, err error) {
	for range n {
		if len(b) < minFrame || binary.BigEndian.Uint16(b[12:]) != 0x0800 || b[ethHeader+9] != 2 {
			return 0, errShort
		}
		begin := ethHeader + int(b[ethHeader]&0x0f)*4
		end := ethHeader + int(binary.BigEndian.Uint16(b[ethHeader+2:]))
		if begin > end || end > len(b) {
			return 0, errShort
		}
		if sum, err = bare(b[begin:end]); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

func barePayload(b []byte, n int) (sum int, err error) {
	for range n {
		if sum, err = bare(b); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// bare is the floor: a loop over the bytes that looks where it steps, without checksums, values or choices.
func bare(p []byte) (sum int, err error) {
	if len(p) < 8 {
		return 0, errShort
	}
	if p[0] != byte(igmp.TypeReportV3) {
		sum = int(p[7])
		for p = p[min(12, len(p)):]; len(p) >= 4; p = p[4:] {
			sum += int(p[3])
		}
		return sum, nil
	}
	records := binary.BigEndian.Uint16(p[6:])
	p = p[8:]
	for range records {
		if len(p) < 8 {
			return 0, errShort
		}
		sources, aux := int(binary.BigEndian.Uint16(p[2:])), int(p[1])
		sum += int(p[7])
		for p = p[8:]; sources > 0; p, sources = p[4:], sources-1 {
			if len(p) < 4 {
				return 0, errShort
			}
			sum += int(p[3])
		}
		if len(p) < 4*aux {
			return 0, errShort
		}
		p = p[4*aux:]
	}
	return sum, nil
}
