package mroute

import "encoding/binary"

// Socket options and flags of linux/mroute.h.
const (
	mrtInit        = 200
	mrtDone        = 201
	mrtAddVIF      = 202
	mrtDelVIF      = 203
	mrtAddMFC      = 204
	mrtDelMFC      = 205
	mrtVersion     = 206
	mrtAssert      = 207
	mrtPIM         = 208
	mrtTable       = 209
	mrtAddMFCProxy = 210
	mrtDelMFCProxy = 211
	mrtFlush       = 212

	viffRegister   = 0x4
	viffUseIfindex = 0x8
	viffStatic     = 0x8000

	vifctlLen = 16
	mfcctlLen = 60
)

// vifctl is struct vifctl: u16 number, u8 flags, u8 threshold, u32 rate limit, int interface index, a tunnel's address.
// The kernel keeps threshold and rate, and heeds neither: it forwards by the thresholds of routes.
func vifctl(v VIF, flags uint8, i IfIndex) []byte {
	b := make([]byte, vifctlLen)
	binary.NativeEndian.PutUint16(b, uint16(v))
	b[2], b[3] = flags, 1
	binary.NativeEndian.PutUint32(b[8:], uint32(i))
	return b
}

// mfcctl is struct mfcctl: source, group, u16 incoming VIF, a threshold a VIF, then counters that the kernel ignores.
func mfcctl(k mfcKey, in VIF, out ttls) (b [mfcctlLen]byte) {
	binary.BigEndian.PutUint64(b[:], uint64(k))
	binary.NativeEndian.PutUint16(b[8:], uint16(in))
	copy(b[10:], out[:])
	return b
}
