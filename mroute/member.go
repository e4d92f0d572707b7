package mroute

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strconv"
)

// place is where a membership is: a group on an interface.
type place struct {
	index IfIndex
	group netip.Addr
}

// String is "233.252.0.1 on interface 3".
func (p place) String() string { return fmt.Sprintf("%v on %v", p.group, p.index) }

// memberSocket is a socket that holds memberships: one system call a method, errors are the system's own, unexplained.
type memberSocket interface {
	join(p place) error // with EXCLUDE{}
	leave(p place) error
	joinSource(p place, source netip.Addr) error // with INCLUDE; makes the membership when there is none
	leaveSource(p place, source netip.Addr) error
	setFilter(p place, f Filter) error
	close() error
}

// Options, modes and sizes of linux/in.h.
const (
	mcastJoinGroup        = 42
	mcastLeaveGroup       = 45
	mcastJoinSourceGroup  = 46
	mcastLeaveSourceGroup = 47
	mcastMSFilter         = 48

	mcastExclude = 0
	mcastInclude = 1

	afInet     = 2
	sockaddrIn = 8   // what is used of a sockaddr_in: family, port, address
	storageLen = 128 // sockaddr_storage
)

// indexLen is the room of a u32 interface index before a sockaddr_storage, which is aligned like a pointer.
const indexLen = strconv.IntSize / 8

// groupReq is struct group_req.
func groupReq(p place) []byte {
	b := make([]byte, indexLen, indexLen+2*storageLen)
	binary.NativeEndian.PutUint32(b, uint32(p.index))
	return appendStorage(b, p.group)
}

// groupSourceReq is struct group_source_req.
func groupSourceReq(p place, source netip.Addr) []byte { return appendStorage(groupReq(p), source) }

// groupFilter is struct group_filter.
func groupFilter(p place, f Filter) []byte {
	b := groupReq(p)
	mode := uint32(mcastInclude)
	if f.Exclude {
		mode = mcastExclude
	}
	b = binary.NativeEndian.AppendUint32(b, mode)
	b = binary.NativeEndian.AppendUint32(b, uint32(len(f.Sources)))
	for _, s := range f.Sources {
		b = appendStorage(b, s)
	}
	return b
}

func appendStorage(b []byte, a netip.Addr) []byte {
	b = binary.NativeEndian.AppendUint16(b, afInet)
	four := a.As4()
	b = append(b, 0, 0)
	b = append(b, four[:]...)
	return append(b, make([]byte, storageLen-sockaddrIn)...)
}
