package igmpconn

import "encoding/binary"

// struct tpacket_auxdata of linux/if_packet.h, in the host's byte order: what the kernel took off a frame.
const (
	auxSize    = 20
	offStatus  = 0
	offVLANTCI = 16
	offVLANTPI = 18

	statusVLAN     = 1 << 4 // TP_STATUS_VLAN_VALID
	statusVLANTPID = 1 << 6 // TP_STATUS_VLAN_TPID_VALID

	tpidCustomer = 0x8100
	vlanTag      = 4
	macAddrs     = 12 // both, in front of the first tag
)

// tag is a VLAN tag that was taken off.
type tag struct {
	there     bool
	tpid, tci uint16
}

// readAux reads the auxiliary data of a frame.
func readAux(b []byte) tag {
	if len(b) < auxSize {
		return tag{}
	}
	status := binary.NativeEndian.Uint32(b[offStatus:])
	t := tag{there: status&statusVLAN != 0, tpid: tpidCustomer, tci: binary.NativeEndian.Uint16(b[offVLANTCI:])}
	if status&statusVLANTPID != 0 {
		t.tpid = binary.NativeEndian.Uint16(b[offVLANTPI:])
	}
	return t
}

// restore returns a copy of the frame with the tag in its place.
func (t tag) restore(frame []byte) []byte {
	if !t.there || len(frame) < macAddrs {
		return append(make([]byte, 0, len(frame)), frame...)
	}
	whole := make([]byte, 0, len(frame)+vlanTag)
	whole = append(whole, frame[:macAddrs]...)
	whole = binary.BigEndian.AppendUint16(whole, t.tpid)
	whole = binary.BigEndian.AppendUint16(whole, t.tci)
	return append(whole, frame[macAddrs:]...)
}
