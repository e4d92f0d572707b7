package mroute

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"syscall"
)

// netlinkSocket follows the interfaces of a namespace.
type netlinkSocket struct {
	f       *os.File
	buffer  []byte
	request uint32 // the sequence number of the last request; messages of changes have none
	dumping bool   // the answer to that request is on its way
	all     []link // what of it has come
}

const rtmgrpLink = 1

func openLinks() (linkSource, error) {
	fd, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, syscall.NETLINK_ROUTE)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	// First subscribed, then asked for all: nothing falls between.
	if err := syscall.Bind(fd, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK, Groups: rtmgrpLink}); err != nil {
		_ = syscall.Close(fd)
		return nil, os.NewSyscallError("bind", err)
	}
	s := &netlinkSocket{f: os.NewFile(uintptr(fd), "interfaces"), buffer: make([]byte, 1<<16)}
	if err := s.ask(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// ask requests a dump of all interfaces.
func (s *netlinkSocket) ask() error {
	s.request++
	s.dumping, s.all = true, nil
	b := make([]byte, syscall.NLMSG_HDRLEN+syscall.SizeofIfInfomsg)
	binary.NativeEndian.PutUint32(b, uint32(len(b)))
	binary.NativeEndian.PutUint16(b[4:], syscall.RTM_GETLINK)
	binary.NativeEndian.PutUint16(b[6:], syscall.NLM_F_REQUEST|syscall.NLM_F_DUMP)
	binary.NativeEndian.PutUint32(b[8:], s.request)
	_, err := s.f.Write(b)
	return err
}

// next is one goroutine's. When the kernel had to drop messages (ENOBUFS) it asks for all again.
func (s *netlinkSocket) next(ctx context.Context) (linkEvent, error) {
	for {
		n, err := readContext(ctx, s.f, s.buffer)
		if errors.Is(err, syscall.ENOBUFS) {
			err = s.ask()
			n = 0
		}
		if err != nil {
			return linkEvent{}, err
		}
		messages, err := syscall.ParseNetlinkMessage(s.buffer[:n])
		if err != nil {
			return linkEvent{}, os.NewSyscallError("netlink", err)
		}
		if e, err := s.take(messages); err != nil || e.complete || len(e.links) > 0 {
			return e, err
		}
	}
}

// take collects a dump until its end, and passes on what changes meanwhile.
func (s *netlinkSocket) take(messages []syscall.NetlinkMessage) (linkEvent, error) {
	var e linkEvent
	for _, m := range messages {
		l, ok := parseLink(m)
		current := m.Header.Seq == s.request
		switch {
		case m.Header.Type == syscall.NLMSG_ERROR:
			if err := netlinkError(m); !errors.Is(err, syscall.EBUSY) {
				return e, err
			}
			s.dumping = false // an older dump was not at its end
		case m.Header.Type == syscall.NLMSG_DONE && !current && !s.dumping:
			return e, s.ask()
		case m.Header.Type == syscall.NLMSG_DONE && current && s.dumping:
			e = linkEvent{links: s.all, complete: true}
			s.dumping, s.all = false, nil
		case ok && s.dumping && (current || m.Header.Seq == 0):
			s.all = append(s.all, l) // changes too: what they say is newer than what came before them
		case ok && m.Header.Seq == 0:
			e.links = append(e.links, l)
		}
	}
	return e, nil
}

func netlinkError(m syscall.NetlinkMessage) error {
	if len(m.Data) < 4 {
		return syscall.EIO
	}
	if errno := -int32(binary.NativeEndian.Uint32(m.Data)); errno != 0 {
		return os.NewSyscallError("RTM_GETLINK", syscall.Errno(errno))
	}
	return nil
}

// parseLink reads an interface's message. Those of another family are not about the interface: with AF_BRIDGE a port
// that leaves its bridge is "deleted".
func parseLink(m syscall.NetlinkMessage) (link, bool) {
	isLink := m.Header.Type == syscall.RTM_NEWLINK || m.Header.Type == syscall.RTM_DELLINK
	if !isLink || len(m.Data) < syscall.SizeofIfInfomsg || m.Data[0] != syscall.AF_UNSPEC {
		return link{}, false
	}
	l := link{
		index: IfIndex(int32(binary.NativeEndian.Uint32(m.Data[4:]))),
		gone:  m.Header.Type == syscall.RTM_DELLINK,
	}
	attributes, err := syscall.ParseNetlinkRouteAttr(&m)
	if err != nil {
		return link{}, false
	}
	for _, a := range attributes {
		if a.Attr.Type == syscall.IFLA_IFNAME && len(a.Value) > 0 {
			l.name = string(a.Value[:len(a.Value)-1]) // ends with a NUL
		}
	}
	return l, l.gone || l.name != ""
}

func (s *netlinkSocket) close() error { return s.f.Close() }
