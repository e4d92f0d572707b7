package ovslab

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// captureBuffer is what a capturing socket may hold while we do not run: some
// ten thousand small frames.
const captureBuffer = 8 << 20

// newSocket opens a socket in the namespace of the calling thread and lets
// setUp configure it.
func newSocket(domain, typ, proto int, setUp func(fd int) error) (*os.File, error) {
	fd, err := unix.Socket(domain, typ|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, proto)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	if err := setUp(fd); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), "socket"), nil
}

// openMember opens a socket that receives nothing: it has no port.
func openMember() (*os.File, error) {
	return newSocket(unix.AF_INET, unix.SOCK_DGRAM, 0, func(int) error { return nil })
}

// openReceiver opens a UDP socket that receives with the kernel's timestamps.
func openReceiver(at netip.AddrPort) (*os.File, error) {
	return newSocket(unix.AF_INET, unix.SOCK_DGRAM, 0, func(fd int) error {
		return errors.Join(
			intOption(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1),
			prepareToRecord(fd),
			os.NewSyscallError("bind", unix.Bind(fd, sockaddr(at))))
	})
}

// openSender opens a UDP socket that sends multicast out of the interface of
// that index and does not hear it itself.
func openSender(index int, from netip.Addr, ttl int) (*os.File, error) {
	return newSocket(unix.AF_INET, unix.SOCK_DGRAM, 0, func(fd int) error {
		via := &unix.IPMreqn{Ifindex: int32(index)}
		return errors.Join(
			os.NewSyscallError("IP_MULTICAST_IF", unix.SetsockoptIPMreqn(fd, unix.IPPROTO_IP, unix.IP_MULTICAST_IF, via)),
			intOption(fd, unix.IPPROTO_IP, unix.IP_MULTICAST_LOOP, 0),
			intOption(fd, unix.IPPROTO_IP, unix.IP_MULTICAST_TTL, ttl),
			intOption(fd, unix.IPPROTO_IP, unix.IP_TTL, ttl),
			os.NewSyscallError("bind", unix.Bind(fd, sockaddr(netip.AddrPortFrom(from, 0)))))
	})
}

// openCapture opens a socket that receives every frame of an interface.
func openCapture(index int) (*os.File, error) {
	return newSocket(unix.AF_PACKET, unix.SOCK_RAW, 0, func(fd int) error {
		all := binary.NativeEndian.Uint16([]byte{unix.ETH_P_ALL >> 8, unix.ETH_P_ALL & 0xff})
		return errors.Join(
			prepareToRecord(fd),
			intOption(fd, unix.SOL_PACKET, unix.PACKET_AUXDATA, 1),
			os.NewSyscallError("bind", unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: index})))
	})
}

// prepareToRecord asks for timestamps and room.
func prepareToRecord(fd int) error {
	return errors.Join(
		intOption(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS_NEW, 1),
		intOption(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, captureBuffer))
}

func intOption(fd, level, option, value int) error {
	return os.NewSyscallError("setsockopt", unix.SetsockoptInt(fd, level, option, value))
}

func sockaddr(a netip.AddrPort) unix.Sockaddr {
	return &unix.SockaddrInet4{Addr: a.Addr().As4(), Port: int(a.Port())}
}

// joinGroup makes a socket a member of a group, of any source or of some.
func joinGroup(socket *os.File, index int, host, group netip.Addr, sources []netip.Addr) error {
	return control(socket, func(fd int) error {
		if len(sources) == 0 {
			request := &unix.IPMreqn{Multiaddr: group.As4(), Ifindex: int32(index)}
			return os.NewSyscallError("IP_ADD_MEMBERSHIP",
				unix.SetsockoptIPMreqn(fd, unix.IPPROTO_IP, unix.IP_ADD_MEMBERSHIP, request))
		}
		for _, s := range sources {
			// struct ip_mreq_source: the group, the interface, the source.
			if err := bytesOption(fd, unix.IP_ADD_SOURCE_MEMBERSHIP, addresses(group, host, s)); err != nil {
				return err
			}
		}
		return nil
	})
}

// filterGroup replaces the filter of a socket that is a member.
func filterGroup(socket *os.File, host, group netip.Addr, mode uint32, sources []netip.Addr) error {
	// struct ip_msfilter: the group, the interface, mode, count, the sources.
	request := addresses(group, host)
	request = binary.NativeEndian.AppendUint32(request, mode)
	request = binary.NativeEndian.AppendUint32(request, uint32(len(sources)))
	request = append(request, addresses(sources...)...)
	return control(socket, func(fd int) error { return bytesOption(fd, unix.IP_MSFILTER, request) })
}

func addresses(addrs ...netip.Addr) (b []byte) {
	for _, a := range addrs {
		b = append(b, a.AsSlice()...)
	}
	return b
}

func bytesOption(fd, option int, value []byte) error {
	return os.NewSyscallError("setsockopt", unix.SetsockoptString(fd, unix.IPPROTO_IP, option, string(value)))
}

// control calls f with the socket's descriptor.
func control(socket *os.File, f func(fd int) error) error {
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	var result error
	err = raw.Control(func(fd uintptr) { result = f(int(fd)) })
	return errors.Join(err, result)
}

// readPacket waits for the next packet. Its data are in buf.
func readPacket(socket *os.File, buf []byte) (socketEvent, error) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return socketEvent{}, err
	}
	var (
		n, oobn int
		from    unix.Sockaddr
		oob     [128]byte
		result  error
	)
	err = raw.Read(func(fd uintptr) bool {
		n, oobn, _, from, result = unix.Recvmsg(int(fd), buf, oob[:], 0)
		return !errors.Is(result, unix.EAGAIN) && !errors.Is(result, unix.EINTR)
	})
	if err = errors.Join(err, result); err != nil {
		return socketEvent{}, os.NewSyscallError("recvmsg", err)
	}
	e := socketEvent{data: buf[:n]}
	e.at, e.tag = annotations(oob[:oobn])
	switch from := from.(type) {
	case *unix.SockaddrInet4:
		e.from = netip.AddrFrom4(from.Addr)
	case *unix.SockaddrLinklayer:
		e.sent = from.Pkttype == unix.PACKET_OUTGOING
	}
	return e, nil
}

// annotations are the kernel's time of arrival, or now if there is none, and the
// tag that it has taken off.
func annotations(oob []byte) (at time.Time, tag Tag) {
	at = time.Now()
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return at, tag
	}
	for _, m := range messages {
		switch {
		case m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SO_TIMESTAMPNS_NEW && len(m.Data) >= 16:
			at = time.Unix(int64(binary.NativeEndian.Uint64(m.Data)), int64(binary.NativeEndian.Uint64(m.Data[8:])))
		case m.Header.Level == unix.SOL_PACKET && m.Header.Type == unix.PACKET_AUXDATA && len(m.Data) >= 18:
			// struct tpacket_auxdata: 32 bits of status, length, captured length, then 16 bits each of
			// mac, net and vlan_tci (linux/if_packet.h).
			if binary.NativeEndian.Uint32(m.Data)&unix.TP_STATUS_VLAN_VALID != 0 {
				tag = Tag{Tagged: true, VLAN: binary.NativeEndian.Uint16(m.Data[16:]) & 0xfff}
			}
		}
	}
	return at, tag
}
