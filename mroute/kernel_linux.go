package mroute

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Private ioctls of linux/mroute.h.
const (
	siocGetVIFCnt = 0x89e0
	siocGetSGCnt  = 0x89e1
)

// sgReq is struct sioc_sg_req and vifReq struct sioc_vif_req: unsigned long is uintptr's size, with its alignment.
type (
	sgReq struct {
		key                     [8]byte // source and group
		packets, bytes, wrongIf uintptr
	}
	vifReq struct {
		vif                                      uint16
		packetsIn, packetsOut, bytesIn, bytesOut uintptr
	}
)

// routingSocket is the raw IGMP socket. The file puts it on the runtime's poller, for read. Everything else uses the
// descriptor itself, which costs no allocation.
type routingSocket struct {
	*tableReader
	f  *os.File
	fd int // f's

	calls  sync.RWMutex // held by every call that uses fd: a number that was closed may be another file's by then
	closed bool
}

func setInt(fd, option, value int) error {
	return syscall.SetsockoptInt(fd, syscall.IPPROTO_IP, option, value)
}

// set is a setsockopt with a structure.
func (s *routingSocket) set(name string, option int, value []byte) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	_, _, errno := syscall.Syscall6(unix.SYS_SETSOCKOPT, uintptr(s.fd), syscall.IPPROTO_IP, uintptr(option),
		uintptr(unsafe.Pointer(unsafe.SliceData(value))), uintptr(len(value)), 0)
	if errno != 0 {
		return os.NewSyscallError(name, errno)
	}
	return nil
}

// enter makes sure that the descriptor is open, and stays so until leave.
func (s *routingSocket) enter() error {
	s.calls.RLock()
	if s.closed {
		s.calls.RUnlock()
		return os.ErrClosed
	}
	return nil
}

func (s *routingSocket) leave() { s.calls.RUnlock() }

func (s *routingSocket) addVIF(v VIF, i IfIndex) error {
	return s.set("MRT_ADD_VIF", mrtAddVIF, vifctl(v, viffUseIfindex, i))
}

func (s *routingSocket) addRegister(v VIF) error {
	return s.set("MRT_ADD_VIF", mrtAddVIF, vifctl(v, viffRegister, 0))
}

func (s *routingSocket) delVIF(v VIF) error {
	return s.set("MRT_DEL_VIF", mrtDelVIF, vifctl(v, 0, 0))
}

func (s *routingSocket) addMFC(k mfcKey, in VIF, out ttls) error {
	entry := mfcctl(k, in, out)
	if k.wildcard() {
		return s.set("MRT_ADD_MFC_PROXY", mrtAddMFCProxy, entry[:])
	}
	return s.set("MRT_ADD_MFC", mrtAddMFC, entry[:])
}

func (s *routingSocket) delMFC(k mfcKey, in VIF) error {
	if k.wildcard() && in != NoVIF {
		entry := mfcctl(k, in, ttls{})
		return s.set("MRT_DEL_MFC_PROXY", mrtDelMFCProxy, entry[:])
	}
	entry := mfcctl(k, 0, ttls{})
	return s.set("MRT_DEL_MFC", mrtDelMFC, entry[:])
}

func (s *routingSocket) flush(what Flush) error {
	return s.set("MRT_FLUSH", mrtFlush, binary.NativeEndian.AppendUint32(nil, uint32(what)))
}

func (s *routingSocket) version() (int, error) { return s.get("MRT_VERSION", mrtVersion) }

func (s *routingSocket) tellsWrongVIF() bool {
	on, err := s.get("MRT_PIM", mrtPIM)
	return err == nil && on != 0
}

func (s *routingSocket) get(name string, option int) (int, error) {
	if err := s.enter(); err != nil {
		return 0, err
	}
	defer s.leave()
	value, err := syscall.GetsockoptInt(s.fd, syscall.IPPROTO_IP, option)
	return value, os.NewSyscallError(name, err)
}

func (s *routingSocket) routeCounters(k mfcKey) (RouteCounters, error) {
	req := sgReq{key: k.bytes()}
	err := s.ioctl("SIOCGETSGCNT", siocGetSGCnt, unsafe.Pointer(&req))
	return RouteCounters{Packets: uint64(req.packets), Bytes: uint64(req.bytes), WrongIf: uint64(req.wrongIf)}, err
}

func (s *routingSocket) vifCounters(v VIF) (VIFCounters, error) {
	req := vifReq{vif: uint16(v)}
	err := s.ioctl("SIOCGETVIFCNT", siocGetVIFCnt, unsafe.Pointer(&req))
	return VIFCounters{
		PacketsIn: uint64(req.packetsIn), BytesIn: uint64(req.bytesIn),
		PacketsOut: uint64(req.packetsOut), BytesOut: uint64(req.bytesOut),
	}, err
}

func (s *routingSocket) ioctl(name string, request uintptr, arg unsafe.Pointer) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(s.fd), request, uintptr(arg)); errno != 0 {
		return os.NewSyscallError(name, errno)
	}
	return nil
}

// read is for one caller at a time: the deadline is the file's.
func (s *routingSocket) read(ctx context.Context, b []byte) (int, error) {
	return readContext(ctx, s.f, b)
}

func (s *routingSocket) watch() (routeSource, error) { return openChangeReader(s.table) }

// close gives the table up explicitly: a copy of the descriptor in some child must not hold it.
func (s *routingSocket) close() error {
	_ = s.set("MRT_DONE", mrtDone, nil)
	return s.release()
}

func (s *routingSocket) release() error {
	s.calls.Lock()
	s.closed = true
	s.calls.Unlock()
	return errors.Join(s.conn.Close(), s.f.Close())
}
