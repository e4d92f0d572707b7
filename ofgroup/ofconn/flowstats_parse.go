package ofconn

import (
	"bytes"
	"encoding/binary"
	"time"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// Where things stand in one flow's entry before its match. In OpenFlow 1.3 counters are
// there; in 1.5 a list of them follows the match.
const (
	offFlowTable15    = 4
	offFlowPriority15 = 6
	offFlowTimeouts15 = 8
	offFlowCookie15   = 16
	offFlowMatch15    = 24

	offFlowTable13    = 2
	offFlowAge13      = 4
	offFlowPriority13 = 12
	offFlowTimeouts13 = 14
	offFlowCookie13   = 24
	offFlowPackets13  = 32
	offFlowMatch13    = 48
)

// ParseFlowStats decodes the joined bodies of an OFPMP_FLOW reply (OFPMP_FLOW_DESC in 1.5)
// in version v. The error matches ofgroup.ErrMalformed.
func ParseFlowStats(v ofgroup.Version, body []byte) ([]FlowStats, error) {
	body = bytes.Clone(body)
	parse, least := parseFlow15, offFlowMatch15
	if v == ofgroup.OpenFlow13 {
		parse, least = parseFlow13, offFlowMatch13
	}
	var flows []FlowStats
	for len(body) > 0 {
		entry, rest, err := nextEntry(body, 0, least)
		if err != nil {
			return nil, err
		}
		f, err := parse(entry)
		if err != nil {
			return nil, err
		}
		flows, body = append(flows, f), rest
	}
	return flows, nil
}

// nextEntry takes one entry off the start of body, whose length stands at an offset.
func nextEntry(body []byte, offLength, least int) (entry, rest []byte, err error) {
	if len(body) < least {
		return nil, nil, malformed("statistics end early")
	}
	n := int(binary.BigEndian.Uint16(body[offLength:]))
	if n < least || n > len(body) {
		return nil, nil, malformed("statistics length")
	}
	return body[:n:n], body[n:], nil
}

func parseFlow13(e []byte) (FlowStats, error) {
	f := FlowStats{
		Table: e[offFlowTable13], Age: age(e[offFlowAge13:]),
		Priority: binary.BigEndian.Uint16(e[offFlowPriority13:]),
		Cookie:   binary.BigEndian.Uint64(e[offFlowCookie13:]),
		Packets:  binary.BigEndian.Uint64(e[offFlowPackets13:]),
		Bytes:    binary.BigEndian.Uint64(e[offFlowPackets13+8:]),
	}
	f.timeouts(e[offFlowTimeouts13:])
	var err error
	f.Match, f.Instructions, err = cutMatch(e[offFlowMatch13:])
	return f, err
}

func parseFlow15(e []byte) (FlowStats, error) {
	f := FlowStats{
		Table:    e[offFlowTable15],
		Priority: binary.BigEndian.Uint16(e[offFlowPriority15:]),
		Cookie:   binary.BigEndian.Uint64(e[offFlowCookie15:]),
	}
	f.timeouts(e[offFlowTimeouts15:])
	var rest []byte
	var err error
	if f.Match, rest, err = cutMatch(e[offFlowMatch15:]); err != nil {
		return FlowStats{}, err
	}
	counted, n, err := parseCounters(rest)
	if err != nil {
		return FlowStats{}, err
	}
	f.Age, f.Packets, f.Bytes, f.Instructions = counted.age, counted.packets, counted.bytes, rest[n:]
	return f, nil
}

// timeouts reads both and the flags, which follow them.
func (f *FlowStats) timeouts(b []byte) {
	f.IdleTimeout = binary.BigEndian.Uint16(b)
	f.HardTimeout = binary.BigEndian.Uint16(b[2:])
	f.Flags = FlowFlags(binary.BigEndian.Uint16(b[4:]))
}

// cutMatch takes the whole match off the start of b.
func cutMatch(b []byte) (match, rest []byte, err error) {
	_, rest, err = splitMatch(b)
	if err != nil {
		return nil, nil, err
	}
	n := len(b) - len(rest)
	return b[:n:n], rest, nil
}

// age reads seconds and nanoseconds, of which there may be too many where the switch
// knows only the seconds.
func age(b []byte) time.Duration {
	d := time.Duration(binary.BigEndian.Uint32(b)) * time.Second
	if ns := time.Duration(binary.BigEndian.Uint32(b[4:])); ns < time.Second {
		d += ns
	}
	return d
}
