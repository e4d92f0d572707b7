package mroute

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
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

func openKernel(cfg Config) (kernel, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, syscall.IPPROTO_IGMP)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	if err := claim(fd, cfg); err != nil {
		_ = syscall.Close(fd)
		return nil, err
	}
	return newRoutingSocket(fd, cfg)
}

// newRoutingSocket owns fd, whatever comes of it.
func newRoutingSocket(fd int, cfg Config) (kernel, error) {
	// More room for upcalls than a socket has by default: what is lost is asked again, but only with the next packet.
	_ = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_RCVBUFFORCE, cfg.readBuffer())
	f := os.NewFile(uintptr(fd), "multicast routing")
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	reader, err := openTableReader(cfg.table())
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &routingSocket{tableReader: reader, f: f, raw: raw}, nil
}

// claim makes fd the router of its table.
func claim(fd int, cfg Config) error {
	if cfg.table() != rtDefault {
		if err := setInt(fd, mrtTable, int(cfg.Table)); err != nil {
			return os.NewSyscallError("MRT_TABLE", err)
		}
	}
	if err := setInt(fd, mrtInit, 1); err != nil {
		return os.NewSyscallError("MRT_INIT", err)
	}
	// Without one of these no WrongVIF comes. MRT_ASSERT gives it only where the packet came in at an outgoing VIF; a
	// kernel that has neither leaves the counters of wrong packets.
	err := setInt(fd, mrtPIM, 1)
	if errors.Is(err, syscall.ENOPROTOOPT) {
		err = setInt(fd, mrtAssert, 1)
	}
	if errors.Is(err, syscall.ENOPROTOOPT) {
		err = nil
	}
	return os.NewSyscallError("MRT_PIM", err)
}

// adoptKernel copies the descriptor of a file, if it is the router of a table: such a one can change its table no more.
func adoptKernel(file *os.File, cfg Config) (kernel, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	fd, err := duplicate(file)
	if err != nil {
		return nil, err
	}
	err = setInt(fd, mrtTable, int(cfg.table()))
	if errors.Is(err, syscall.EBUSY) {
		err = syscall.SetNonblock(fd, true) // running a child with a file makes it blocking
	} else {
		err = errors.Join(ErrNotOwner, os.NewSyscallError("MRT_TABLE", err))
	}
	if err != nil {
		_ = syscall.Close(fd)
		return nil, err
	}
	return newRoutingSocket(fd, cfg)
}

func duplicate(file *os.File) (int, error) {
	raw, err := file.SyscallConn()
	if err != nil {
		return -1, err
	}
	var fd uintptr
	var errno syscall.Errno
	if raw.Control(func(old uintptr) {
		fd, _, errno = syscall.Syscall(syscall.SYS_FCNTL, old, syscall.F_DUPFD_CLOEXEC, 0)
	}) != nil {
		return -1, os.ErrClosed
	}
	if errno != 0 {
		return -1, os.NewSyscallError("fcntl", errno)
	}
	return int(fd), nil
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
	return s.set("MRT_ADD_VIF", mrtAddVIF, vifctl(v, i))
}

func (s *routingSocket) delVIF(v VIF) error {
	return s.set("MRT_DEL_VIF", mrtDelVIF, vifctl(v, 0))
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

// readContext reads until ctx ends.
func readContext(ctx context.Context, f *os.File, b []byte) (n int, err error) {
	err = untilDone(ctx, f, func() (err error) {
		n, err = f.Read(b)
		return err
	})
	return n, err
}

// untilDone calls read, and ends it with ctx. A read that has ended is returned even if ctx has ended meanwhile.
func untilDone(ctx context.Context, r interface{ SetReadDeadline(time.Time) error }, read func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(woken)
		_ = r.SetReadDeadline(time.Unix(1, 0))
	})
	err := read()
	if !stop() {
		<-woken
		_ = r.SetReadDeadline(time.Time{})
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = ctx.Err()
	}
	return err
}

func (s *routingSocket) watch() (routeSource, error) { return openChangeReader(s.table) }

func (s *routingSocket) file() (*os.File, error) {
	fd, err := duplicate(s.f)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "multicast routing"), nil
}

// close gives the table up explicitly: a copy of the descriptor in some child must not hold it.
func (s *routingSocket) close() error {
	_ = s.set("MRT_DONE", mrtDone, nil)
	return s.release()
}

func (s *routingSocket) release() error { return errors.Join(s.conn.Close(), s.f.Close()) }
