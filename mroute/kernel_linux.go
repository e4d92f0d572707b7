package mroute

import (
	"context"
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// Private ioctls of linux/mroute.h.
const (
	siocGetVIFCnt = 0x89e0
	siocGetSGCnt  = 0x89e1
)

// sgReq is struct sioc_sg_req and vifReq struct sioc_vif_req: unsigned long is uintptr's size, with its alignment.
type (
	sgReq struct {
		source, group           [4]byte
		packets, bytes, wrongIf uintptr
	}
	vifReq struct {
		vif                                      uint16
		packetsIn, packetsOut, bytesIn, bytesOut uintptr
	}
)

// routingSocket is the raw IGMP socket. The file puts it on the runtime's poller, and lets Close wait for the calls
// under way.
type routingSocket struct {
	*tableReader
	f   *os.File
	raw syscall.RawConn
}

func setInt(fd, option, value int) error {
	return syscall.SetsockoptInt(fd, syscall.IPPROTO_IP, option, value)
}

// set is a setsockopt with a structure.
func (s *routingSocket) set(name string, option int, value []byte) error {
	return os.NewSyscallError(name, s.control(func(fd int) error {
		return syscall.SetsockoptString(fd, syscall.IPPROTO_IP, option, unsafe.String(unsafe.SliceData(value), len(value)))
	}))
}

// control calls do with the descriptor, which stays open meanwhile.
func (s *routingSocket) control(do func(fd int) error) error {
	var inner error
	if s.raw.Control(func(fd uintptr) { inner = do(int(fd)) }) != nil {
		return os.ErrClosed
	}
	return inner
}

func (s *routingSocket) addVIF(v VIF, i IfIndex) error {
	return s.set("MRT_ADD_VIF", mrtAddVIF, vifctl(v, viffUseIfindex, i))
}

func (s *routingSocket) addRegister(v VIF) error {
	return s.set("MRT_ADD_VIF", mrtAddVIF, vifctl(v, viffRegister, 0))
}

func (s *routingSocket) delVIF(v VIF) error {
	return s.set("MRT_DEL_VIF", mrtDelVIF, vifctl(v, 0, 0))
}

func (s *routingSocket) addMFC(k SG, in VIF, out *ttls) error {
	if k.Wildcard() {
		return s.set("MRT_ADD_MFC_PROXY", mrtAddMFCProxy, mfcctl(k, in, out))
	}
	return s.set("MRT_ADD_MFC", mrtAddMFC, mfcctl(k, in, out))
}

func (s *routingSocket) delMFC(k SG, in VIF) error {
	if k.Wildcard() && in != NoVIF {
		return s.set("MRT_DEL_MFC_PROXY", mrtDelMFCProxy, mfcctl(k, in, &ttls{}))
	}
	return s.set("MRT_DEL_MFC", mrtDelMFC, mfcctl(k, 0, &ttls{}))
}

func (s *routingSocket) flush(what Flush) error {
	return os.NewSyscallError("MRT_FLUSH", s.control(func(fd int) error { return setInt(fd, mrtFlush, int(what)) }))
}

func (s *routingSocket) version() (int, error) { return s.get("MRT_VERSION", mrtVersion) }

func (s *routingSocket) tellsWrongVIF() bool {
	on, err := s.get("MRT_PIM", mrtPIM)
	return err == nil && on != 0
}

func (s *routingSocket) get(name string, option int) (value int, err error) {
	err = s.control(func(fd int) (err error) {
		value, err = syscall.GetsockoptInt(fd, syscall.IPPROTO_IP, option)
		return err
	})
	return value, os.NewSyscallError(name, err)
}

func (s *routingSocket) routeCounters(k SG) (RouteCounters, error) {
	req := sgReq{source: k.Source.As4(), group: k.Group.As4()}
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
	err := s.control(func(fd int) error {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), request, uintptr(arg)); errno != 0 {
			return errno
		}
		return nil
	})
	return os.NewSyscallError(name, err)
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

func (s *routingSocket) release() error { return errors.Join(s.conn.Close(), s.f.Close()) }
