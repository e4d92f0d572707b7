package ofconn

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// PortStats is what the switch counted for one port (OpenFlow 1.5.1, 7.3.5.8). Counters
// that it does not keep are NotCounted. It is comparable.
type PortStats struct {
	Port                                     ofgroup.Port
	Age                                      time.Duration // since the port was added
	RxPackets, TxPackets, RxBytes, TxBytes   uint64
	RxDropped, TxDropped, RxErrors, TxErrors uint64
}

// Where things stand in one port's entry. OpenFlow 1.3 has more counters behind the ones
// that 1.5 has in common for all ports, and properties follow those in 1.5.
const (
	offPortStatsNumber15   = 4
	offPortStatsAge15      = 8
	offPortStatsCounters15 = 16
	portStatsLen15         = 80 // without properties

	offPortStatsCounters13 = 8
	offPortStatsAge13      = 104
	portStatsLen13         = 112
)

// PortStats reads what the switch counted for a port, or for ofgroup.PortAny of them.
func (s *Session) PortStats(ctx context.Context, p ofgroup.Port) ([]PortStats, error) {
	m := numberRequest{openflow.MultipartPortStats, uint32(p)}
	body, err := s.ask(ctx, "port stats", m.kind, m)
	if err != nil {
		return nil, err
	}
	return ParsePortStats(s.version, body)
}

// PortStats is Session.PortStats.
func (c *Conn) PortStats(ctx context.Context, p ofgroup.Port) ([]PortStats, error) {
	return onSession(c, func(s *Session) ([]PortStats, error) { return s.PortStats(ctx, p) })
}

// ParsePortStats decodes the joined bodies of an OFPMP_PORT_STATS reply in version v. The
// error matches ofgroup.ErrMalformed.
func ParsePortStats(v ofgroup.Version, body []byte) ([]PortStats, error) {
	var all []PortStats
	for len(body) > 0 {
		var p PortStats
		if v == ofgroup.OpenFlow13 {
			if len(body) < portStatsLen13 {
				return nil, malformed("statistics end early")
			}
			p.read(binary.BigEndian.Uint32(body), body[offPortStatsAge13:], body[offPortStatsCounters13:])
			body = body[portStatsLen13:]
		} else {
			e, rest, err := nextEntry(body, 0, portStatsLen15)
			if err != nil {
				return nil, err
			}
			p.read(binary.BigEndian.Uint32(e[offPortStatsNumber15:]), e[offPortStatsAge15:], e[offPortStatsCounters15:])
			body = rest
		}
		all = append(all, p)
	}
	return all, nil
}

// read takes the counters that both versions have, in the same order.
func (p *PortStats) read(number uint32, since, counters []byte) {
	p.Port, p.Age = ofgroup.Port(number), age(since)
	for i, c := range []*uint64{
		&p.RxPackets, &p.TxPackets, &p.RxBytes, &p.TxBytes, &p.RxDropped, &p.TxDropped, &p.RxErrors, &p.TxErrors,
	} {
		*c = binary.BigEndian.Uint64(counters[8*i:])
	}
}

// numberRequest is a multipart request whose body is a number and four bytes of padding.
type numberRequest struct {
	kind   uint16
	number uint32
}

// AppendMessage appends the message, which both versions have; see Message.
func (m numberRequest) AppendMessage(b []byte, v ofgroup.Version) ([]byte, error) {
	return appendMessage(b, v, openflow.TypeMultipartRequest, func(b []byte) ([]byte, error) {
		b = binary.BigEndian.AppendUint16(b, m.kind)
		b = binary.BigEndian.AppendUint32(appendZeros(b, 6), m.number) // behind flags and padding
		return appendZeros(b, 4), nil
	})
}
