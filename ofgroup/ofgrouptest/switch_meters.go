package ofgrouptest

import (
	"bytes"
	"maps"
	"slices"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

const (
	meterAdd    = 0
	meterModify = 1
	meterDelete = 2

	meterKbps  = 1 << 0
	meterPkts  = 1 << 1
	meterFlags = 0xf // those that exist

	meterModLen = openflow.HeaderLen + 8
	bandLen     = 16
	bandDrop    = 1

	lastMeter       = 0xffff0000 // above it are the reserved ones
	slowPathMeter   = 0xfffffffd
	controllerMeter = 0xfffffffe
	everyMeter      = 0xffffffff
)

// meter is one meter as the switch keeps it: flags and bands.
type meter struct {
	flags uint16
	bands []byte
}

// Meter is a meter that the switch holds (section 7.3.4.4).
type Meter struct {
	ID    uint32
	Flags uint16 // OFPMF_* bits: 1 kbit/s, 2 packets/s, 4 burst, 8 statistics
	Bands []Band
}

// Band is a drop band; the rate is in the meter's unit.
type Band struct{ Rate, Burst uint32 }

// Meters returns every meter that the switch holds, in ascending order of their numbers.
func (s *Switch) Meters() []Meter {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Meter
	for _, id := range slices.Sorted(maps.Keys(s.meters)) {
		m := Meter{ID: id, Flags: s.meters[id].flags}
		for b := s.meters[id].bands; len(b) > 0; b = b[bandLen:] {
			m.Bands = append(m.Bands, Band{Rate: be.Uint32(b[4:]), Burst: be.Uint32(b[8:])})
		}
		all = append(all, m)
	}
	return all
}

// meterMod obeys a METER_MOD.
func (c *switchConn) meterMod(m []byte) ([][]byte, verdict) {
	command, flags, id := be.Uint16(m[8:]), be.Uint16(m[10:]), be.Uint32(m[12:])
	bands := m[meterModLen:]
	if command > meterDelete {
		return nil, badMeterCommand
	}
	if command == meterDelete {
		return nil, c.sw.deleteMeter(id)
	}
	if v := checkMeter(flags, bands); v != accepted {
		return nil, v
	}
	return nil, c.sw.putMeter(command, id, meter{flags: flags, bands: bytes.Clone(bands)})
}

// checkMeter: a rate is in one unit and not zero, and nothing but dropping is known.
func checkMeter(flags uint16, bands []byte) verdict {
	unit := flags & (meterKbps | meterPkts)
	if flags&^meterFlags != 0 || unit != meterKbps && unit != meterPkts {
		return badMeterFlags
	}
	if len(bands) == 0 {
		return outOfBands
	}
	for b := bands; len(b) > 0; b = b[bandLen:] {
		switch {
		case len(b) < bandLen || be.Uint16(b[2:]) != bandLen:
			return badLen
		case be.Uint16(b) != bandDrop:
			return badMeterBand
		case be.Uint32(b[4:]) == 0:
			return badMeterRate
		}
	}
	return accepted
}

func (s *Switch) putMeter(command uint16, id uint32, m meter) verdict {
	if id == 0 || id > lastMeter && id != controllerMeter && id != slowPathMeter {
		return invalidMeter
	}
	switch _, there := s.meters[id]; {
	case there && command == meterAdd:
		return meterExists
	case !there && command == meterModify:
		return unknownMeter
	}
	s.meters[id] = m
	return accepted
}

// deleteMeter deletes one meter, or all, with the flows that use it. An absent one is no
// error.
func (s *Switch) deleteMeter(id uint32) verdict {
	gone := []uint32{id}
	if id == everyMeter {
		gone = slices.Sorted(maps.Keys(s.meters))
	}
	for _, id := range gone {
		delete(s.meters, id)
		s.removeUsers(reference{openflow.ActionMeter, id}, removedByMeter)
	}
	return accepted
}
