package ofconn

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// MeterStats is what the switch counted for one meter (OpenFlow 1.5.1, 7.3.5.12).
type MeterStats struct {
	ID             uint32
	Flows          uint32 // that use it; in 1.5 other references too
	Packets, Bytes uint64 // that came to it
	Age            time.Duration
	Bands          []MeterBandStats
}

// MeterBandStats is what one band of a meter did something to: with those of a MeterMod,
// what it dropped.
type MeterBandStats struct{ Packets, Bytes uint64 }

// Offsets within one meter's entry, which is the same in both versions.
const (
	offMeterStatsLen     = 4
	offMeterStatsFlows   = 12
	offMeterStatsPackets = 16
	offMeterStatsBytes   = 24
	offMeterStatsAge     = 32
	meterStatsLen        = 40
	bandStatsLen         = 16
)

// MeterStats reads what the switch counted for a meter, or for AllMeters of them. A meter
// that is not there is refused by Open vSwitch.
func (s *Session) MeterStats(ctx context.Context, id uint32) ([]MeterStats, error) {
	m := numberRequest{openflow.MultipartMeter, id}
	body, err := s.ask(ctx, "meter stats", m.kind, m)
	if err != nil {
		return nil, err
	}
	return ParseMeterStats(body)
}

// MeterStats is Session.MeterStats.
func (c *Conn) MeterStats(ctx context.Context, id uint32) ([]MeterStats, error) {
	return onSession(c, func(s *Session) ([]MeterStats, error) { return s.MeterStats(ctx, id) })
}

// ParseMeterStats decodes the joined bodies of an OFPMP_METER reply (OFPMP_METER_STATS in
// 1.5), of either version. The error matches ofgroup.ErrMalformed.
func ParseMeterStats(body []byte) ([]MeterStats, error) {
	var all []MeterStats
	for len(body) > 0 {
		e, rest, err := nextEntry(body, offMeterStatsLen, meterStatsLen)
		if err != nil {
			return nil, err
		}
		bands := e[meterStatsLen:]
		if len(bands)%bandStatsLen != 0 {
			return nil, malformed("length of the bands")
		}
		m := MeterStats{
			ID:      binary.BigEndian.Uint32(e),
			Flows:   binary.BigEndian.Uint32(e[offMeterStatsFlows:]),
			Packets: binary.BigEndian.Uint64(e[offMeterStatsPackets:]),
			Bytes:   binary.BigEndian.Uint64(e[offMeterStatsBytes:]),
			Age:     age(e[offMeterStatsAge:]),
		}
		for ; len(bands) > 0; bands = bands[bandStatsLen:] {
			m.Bands = append(m.Bands, MeterBandStats{binary.BigEndian.Uint64(bands), binary.BigEndian.Uint64(bands[8:])})
		}
		all, body = append(all, m), rest
	}
	return all, nil
}
