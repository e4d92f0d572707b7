package mroute

import (
	"errors"
	"fmt"
	"syscall"
)

// Why something was refused, by this package or by the kernel. Where the kernel refused, its errno is kept:
// errors.Is(err, syscall.EADDRINUSE) works beside errors.Is(err, ErrInUse). What a system lacks is errors.ErrUnsupported,
// what was closed is os.ErrClosed.
var (
	// ErrInUse: another socket routes multicast in this network namespace and table. One may; a second needs another
	// Config.Table.
	ErrInUse = errors.New("another multicast router owns this table")
	// ErrPermission: CAP_NET_ADMIN and CAP_NET_RAW are needed in the network namespace.
	ErrPermission = errors.New("not permitted (needs CAP_NET_ADMIN and CAP_NET_RAW)")
	// ErrNoVIF: a VIF number that is not registered, or not a VIF number at all.
	ErrNoVIF = errors.New("no such VIF")
	// ErrVIFExists: the interface has a VIF already.
	ErrVIFExists = errors.New("interface has a VIF already")
	// ErrTableFull: all MaxVIFs numbers are registered, or still named by routes.
	ErrTableFull = errors.New("no VIF number is free")
	// ErrNoRoute: the kernel has no entry for this source and group.
	ErrNoRoute = errors.New("no such route")
	// ErrNoInterface: no interface has this index, or it does not speak IPv4.
	ErrNoInterface = errors.New("no such interface")
	// ErrAddress: not an address that can stand there.
	ErrAddress = errors.New("not a usable address")
	// ErrLinkLocal: groups in 224.0.0.0/24 stay on their link, and are neither routed nor joined (RFC 4541 2.1.2).
	ErrLinkLocal = errors.New("link-local group")
	// ErrLoop: a route would send packets back to where they came from.
	ErrLoop = errors.New("incoming interface is also outgoing")
	// ErrTTL: a threshold of 255 lets no packet through; leave the interface out instead.
	ErrTTL = errors.New("TTL threshold of 255")
	// ErrMemberships: the kernel has no room for a membership even on a socket of its own. The limits are
	// net.ipv4.igmp_max_memberships, net.ipv4.igmp_max_msf and net.core.optmem_max.
	ErrMemberships = errors.New("no room for a membership (net.ipv4.igmp_max_memberships, igmp_max_msf, net.core.optmem_max)")
	// ErrFilter: a filter without a mode, or with sources that cannot be sources.
	ErrFilter = errors.New("not a usable filter")
	// ErrMalformed: bytes that are neither an upcall nor an IGMP packet.
	ErrMalformed = errors.New("malformed message")
)

// Error says what was being done, to what, and why it failed.
type Error struct {
	// Op is what was being done: "open", "add VIF", "add route", "join", ...
	Op string
	// Where names the thing: a VIF, an interface index, a source and group. Empty when there is one only.
	Where string
	// Err is the cause: one of the sentinels of this package, an errno, or both.
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	if e.Where == "" {
		return "mroute: " + e.Op + ": " + e.Err.Error()
	}
	return "mroute: " + e.Op + ": " + e.Where + ": " + e.Err.Error()
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Err }

// fault wraps err, and nil stays nil.
func fault(op string, where any, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Op: op, Where: fmt.Sprint(where), Err: err}
}

// meaning says what an errno stands for in one system call.
type meaning map[syscall.Errno]error

// explain puts the sentinel in front of the errno and keeps both. EPERM and EACCES mean the same everywhere.
func (m meaning) explain(err error) error {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return err
	}
	sentinel, known := m[errno]
	if errno == syscall.EPERM || errno == syscall.EACCES {
		sentinel, known = ErrPermission, true
	}
	if !known {
		return err
	}
	return fmt.Errorf("%w: %w", sentinel, err)
}
