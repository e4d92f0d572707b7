package igmpconn

import "errors"

// Why an interface cannot be used. The kernel's error number, where there is one, is found by errors.Is too.
var (
	// ErrNoInterface: there is no interface of that name.
	ErrNoInterface = errors.New("no such interface")
	// ErrLinkType: the interface has no Ethernet headers.
	ErrLinkType = errors.New("not an Ethernet interface")
	// ErrDown: the interface is down.
	ErrDown = errors.New("the interface is down")
	// ErrGone: the interface was deleted.
	ErrGone = errors.New("the interface is gone")
)

// Error says what was being done with which interface. It wraps its cause.
type Error struct {
	// Op is "listen", "read", "send", "read statistics", "close" or "look up".
	Op string
	// Interface is the name that was given.
	Interface string
	// Err is the cause.
	Err error
}

// Error implements error.
func (e *Error) Error() string { return "igmpconn: " + e.Op + " " + e.Interface + ": " + e.Err.Error() }

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Err }
