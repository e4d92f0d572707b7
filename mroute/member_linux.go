package mroute

import (
	"net/netip"
	"os"
	"syscall"
)

// memberFD is a UDP socket without a port: it receives nothing, and the kernel keeps memberships as long as it is open.
type memberFD int

func openMemberSocket() (memberSocket, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	return memberFD(fd), nil
}

func (fd memberFD) set(name string, option int, value []byte) error {
	return os.NewSyscallError(name, syscall.SetsockoptString(int(fd), syscall.IPPROTO_IP, option, string(value)))
}

func (fd memberFD) join(p place) error {
	return fd.set("MCAST_JOIN_GROUP", mcastJoinGroup, groupReq(p))
}

func (fd memberFD) leave(p place) error {
	return fd.set("MCAST_LEAVE_GROUP", mcastLeaveGroup, groupReq(p))
}

func (fd memberFD) joinSource(p place, source netip.Addr) error {
	return fd.set("MCAST_JOIN_SOURCE_GROUP", mcastJoinSourceGroup, groupSourceReq(p, source))
}

func (fd memberFD) leaveSource(p place, source netip.Addr) error {
	return fd.set("MCAST_LEAVE_SOURCE_GROUP", mcastLeaveSourceGroup, groupSourceReq(p, source))
}

func (fd memberFD) setFilter(p place, f Filter) error {
	return fd.set("MCAST_MSFILTER", mcastMSFilter, groupFilter(p, f))
}

func (fd memberFD) close() error { return os.NewSyscallError("close", syscall.Close(int(fd))) }
