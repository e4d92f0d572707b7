package ofconn

import (
	"encoding/binary"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// MeterMod adds, changes or deletes a meter that drops what is above a rate
// (OpenFlow 1.5.1, 7.3.4.5, the same bytes in 1.3). A deletion looks at ID
// alone, takes the flows that use the meter with it, and is no error where
// there is no such meter.
type MeterMod struct {
	Command MeterCommand
	ID      uint32 // 1 to 0xffff0000, or AllMeters in a deletion
	Unit    MeterUnit
	Rate    uint32 // in Unit; Open vSwitch refuses 0
	Burst   uint32 // in packets or kilobits; 0 leaves it to the switch
}

// AllMeters is, in a deletion, every meter of the switch.
const AllMeters = 0xffffffff

// MeterCommand is what a MeterMod does.
type MeterCommand uint16

const (
	MeterAdd    MeterCommand = 0 // refused if there is one of this number
	MeterModify MeterCommand = 1 // refused if there is none
	MeterDelete MeterCommand = 2 // not refused if there is none
)

// String is the command as a word.
func (c MeterCommand) String() string {
	switch c {
	case MeterAdd:
		return "add"
	case MeterModify:
		return "modify"
	case MeterDelete:
		return "delete"
	default:
		return fmt.Sprintf("MeterCommand(0x%x)", uint16(c))
	}
}

// MeterUnit is what a meter counts.
type MeterUnit uint8

const (
	PacketsPerSecond  MeterUnit = iota // what a rate counts by default
	KilobitsPerSecond                  // 1,000 bits a second
)

// String is ovs-ofctl's word for the unit.
func (u MeterUnit) String() string {
	switch u {
	case PacketsPerSecond:
		return "pktps"
	case KilobitsPerSecond:
		return "kbps"
	default:
		return fmt.Sprintf("MeterUnit(0x%x)", uint8(u))
	}
}

// Flags of a meter, and its one band.
const (
	meterFlagKbps  = 1 << 0
	meterFlagPktps = 1 << 1
	meterFlagBurst = 1 << 2

	bandDrop    = 1
	bandDropLen = 16
)

// AppendMessage appends the message; see Message.
func (m MeterMod) AppendMessage(b []byte, v ofgroup.Version) ([]byte, error) {
	return appendMessage(b, v, openflow.TypeMeterMod, func(b []byte) ([]byte, error) {
		if m.Command > MeterDelete {
			return nil, fmt.Errorf("ofconn: meter-mod: %v: %w", m.Command, ofgroup.ErrCommand)
		}
		b = binary.BigEndian.AppendUint16(b, uint16(m.Command))
		if m.Command == MeterDelete {
			return binary.BigEndian.AppendUint32(appendZeros(b, 2), m.ID), nil
		}
		b = binary.BigEndian.AppendUint16(b, m.flags())
		b = binary.BigEndian.AppendUint32(b, m.ID)
		b = binary.BigEndian.AppendUint16(b, bandDrop)
		b = binary.BigEndian.AppendUint16(b, bandDropLen)
		b = binary.BigEndian.AppendUint32(b, m.Rate)
		b = binary.BigEndian.AppendUint32(b, m.Burst)
		return appendZeros(b, 4), nil
	})
}

func (m MeterMod) flags() uint16 {
	flags := uint16(meterFlagPktps)
	if m.Unit == KilobitsPerSecond {
		flags = meterFlagKbps
	}
	if m.Burst != 0 {
		flags |= meterFlagBurst
	}
	return flags
}

// String is the command, then the meter as ovs-ofctl add-meter takes it.
func (m MeterMod) String() string {
	id := fmt.Sprint(m.ID)
	if m.ID == AllMeters {
		id = "all"
	}
	s := fmt.Sprintf("%v meter=%s", m.Command, id)
	if m.Command == MeterDelete {
		return s
	}
	s += "," + m.Unit.String()
	if m.Burst == 0 {
		return s + fmt.Sprintf(",bands=type=drop,rate=%d", m.Rate)
	}
	return s + fmt.Sprintf(",burst,bands=type=drop,rate=%d,burst_size=%d", m.Rate, m.Burst)
}
