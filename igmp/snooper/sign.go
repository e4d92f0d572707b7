package snooper

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
)

// sign is what a router was recognised by. Each sign of each router has a time of its own.
type sign uint8

const (
	signAny sign = iota // all of them, for unlearn
	signQuery
	signPIM
	signPIMv1
	signDVMRP
	signAdvertisement
)

// minLifetime is the least that hellos and advertisements are worth, whatever they say: what the most frequent of router
// advertisements, one in 4 s, ask for (RFC 4286 3.1.1). Less would make ports come and go between two messages.
const minLifetime = 12 * time.Second

const (
	advertisementLength = 8 // RFC 4286 3.2
	offInterval         = 1 // the code byte, in seconds
	deadIntervals       = 3 // RFC 4286 7: so many lost advertisements end a router
)

// advertisementLifetime returns how long a router advertisement holds, and whether it is whole.
func advertisementLifetime(p []byte) (time.Duration, bool) {
	if len(p) < advertisementLength {
		return 0, false
	}
	return max(minLifetime, deadIntervals*time.Duration(p[offInterval])*time.Second), true
}

const (
	protocolPIM = 103

	pimHeader       = 4
	pimVersionHello = 2 << 4 // version 2, type 0 = hello, in one byte
	pimOption       = 4      // an option's type and length
	pimHoldtime     = 1      // RFC 7761 4.9.2
	pimHoldtimeLen  = 2
	pimDefaultHold  = 105 * time.Second // RFC 7761 4.11, 3.5 hello periods
)

var allPIMRouters = netip.AddrFrom4([4]byte{224, 0, 0, 13})

// isPIM tells a whole PIM version 2 hello, of which only the checksum and the options are still to be read. Other PIM
// messages come from neighbours that have said hello before.
func isPIM(v *igmp.View) bool {
	p := v.Payload()
	return v.Protocol == protocolPIM && v.Dst == allPIMRouters && !v.Fragment && len(p) > 0 && p[0] == pimVersionHello
}

// readHello returns the holdtime of a PIM hello, 0 for a goodbye, and AcceptedRouter or what is wrong with it.
func readHello(p []byte) (time.Duration, Verdict) {
	switch {
	case len(p) < pimHeader:
		return 0, RefusedLength
	case internetSum(p) != 0xffff:
		return 0, RefusedChecksum
	}
	for rest := p[pimHeader:]; len(rest) > 0; {
		if len(rest) < pimOption {
			return 0, RefusedLists
		}
		kind, size := binary.BigEndian.Uint16(rest), int(binary.BigEndian.Uint16(rest[2:]))
		rest = rest[pimOption:]
		if size > len(rest) {
			return 0, RefusedLists
		}
		if kind == pimHoldtime && size == pimHoldtimeLen {
			return time.Duration(binary.BigEndian.Uint16(rest)) * time.Second, AcceptedRouter
		}
		rest = rest[size:]
	}
	return pimDefaultHold, AcceptedRouter
}

// internetSum is the sum of RFC 1071, 0xffff over data with a right checksum. A hello is short and seldom: it is simple,
// not fast.
func internetSum(p []byte) uint16 {
	var sum uint32
	for ; len(p) >= 2; p = p[2:] {
		sum += uint32(binary.BigEndian.Uint16(p))
	}
	if len(p) == 1 {
		sum += uint32(p[0]) << 8
	}
	sum = sum>>16 + sum&0xffff
	return uint16(sum>>16 + sum&0xffff)
}
