package routesbench

import (
	"encoding/binary"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ofmcast/ofmcast/mroute"
)

// bare is the floor: a routing socket of the kernel's second table and nothing around it (linux/mroute.h).
type bare struct{ fd int }

// Of linux/mroute.h.
const (
	mrtInit      = 200
	mrtAddVIF    = 202
	mrtAddMFC    = 204
	mrtDelMFC    = 205
	mrtTable     = 209
	useIfIndex   = 8
	sioGetCount  = 0x89e1 // SIOCGETSGCNT
	secondTable  = 100
	sizeofMFCCtl = 60
)

func openBare(indexes ...int) (*bare, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.IPPROTO_IGMP)
	if err != nil {
		return nil, err
	}
	s := &bare{fd}
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_IP, mrtTable, secondTable); err != nil {
		return nil, err
	}
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_IP, mrtInit, 1); err != nil {
		return nil, err
	}
	for i, index := range indexes {
		vif := make([]byte, 16)
		binary.NativeEndian.PutUint16(vif, uint16(i))
		vif[2], vif[3] = useIfIndex, 1
		binary.NativeEndian.PutUint32(vif[8:], uint32(index))
		if err := unix.SetsockoptString(fd, unix.IPPROTO_IP, mrtAddVIF, string(vif)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// entry is a route from VIF 0 to VIF 1.
func entry(k mroute.SG) (m [sizeofMFCCtl]byte) {
	src, grp := k.Source.As4(), k.Group.As4()
	copy(m[:], src[:])
	copy(m[4:], grp[:])
	m[10+1] = 1
	return m
}

// set adds or deletes one route.
func (s *bare) set(option int, k mroute.SG) error {
	m := entry(k)
	_, _, errno := unix.Syscall6(unix.SYS_SETSOCKOPT, uintptr(s.fd), unix.IPPROTO_IP, uintptr(option),
		uintptr(unsafe.Pointer(&m)), sizeofMFCCtl, 0)
	if errno != 0 {
		return os.NewSyscallError("setsockopt", errno)
	}
	return nil
}

// count reads one route's counters.
func (s *bare) count(k mroute.SG) error {
	var r struct {
		src, grp               [4]byte
		packets, bytes, others uintptr
	}
	r.src, r.grp = k.Source.As4(), k.Group.As4()
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(s.fd), sioGetCount, uintptr(unsafe.Pointer(&r))); errno != 0 {
		return os.NewSyscallError("ioctl", errno)
	}
	return nil
}

func (s *bare) close() error { return unix.Close(s.fd) }
