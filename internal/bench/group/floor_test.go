package group

import (
	"encoding/binary"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// The floor: programs that know the one shape of bucket that they write, check nothing, and could
// write no other.

const (
	headerLen  = 24 // GROUP_MOD of OpenFlow 1.5 without buckets
	outputLen  = 24 // a bucket with one output
	serviceLen = 64 // a bucket with a weight, two register loads and a resubmit
)

func floorHeader(b []byte, typ ofgroup.Type, buckets int) {
	copy(b, "\x06\x0f")
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)))
	b[10] = byte(typ)
	binary.BigEndian.PutUint32(b[12:], groupID)
	binary.BigEndian.PutUint16(b[16:], uint16(buckets))
	binary.BigEndian.PutUint32(b[20:], uint32(ofgroup.AllBuckets))
}

func floorOutputs(n int) []byte {
	b := make([]byte, headerLen+outputLen*n)
	floorHeader(b, ofgroup.All, outputLen*n)
	for i := range n {
		k := b[headerLen+outputLen*i:][:outputLen]
		binary.BigEndian.PutUint32(k, outputLen<<16|16)
		binary.BigEndian.PutUint32(k[4:], uint32(i))
		binary.BigEndian.PutUint32(k[8:], 16)
		binary.BigEndian.PutUint32(k[12:], uint32(i+1))
	}
	return b
}

func floorServices(n int) []byte {
	b := make([]byte, headerLen+serviceLen*n)
	floorHeader(b, ofgroup.Select, serviceLen*n)
	for i := range n {
		k := b[headerLen+serviceLen*i:][:serviceLen]
		binary.BigEndian.PutUint32(k, serviceLen<<16|48)
		binary.BigEndian.PutUint32(k[4:], uint32(i))
		binary.BigEndian.PutUint64(k[8:], 0x0019_0010_00010604) // set_field reg3
		binary.BigEndian.PutUint32(k[16:], uint32(0x0a000000+i))
		binary.BigEndian.PutUint64(k[24:], 0x0019_0010_00010908) // set_field reg4, masked
		binary.BigEndian.PutUint64(k[32:], servicePort<<32|0xffff)
		binary.BigEndian.PutUint64(k[40:], 0xffff_0010_00002320)  // experimenter, Nicira
		binary.BigEndian.PutUint64(k[48:], 0x000e_fff8_06_000000) // resubmit to table 6
		binary.BigEndian.PutUint64(k[56:], 0x0000_0008_0064_0000) // weight 100
	}
	return b
}
