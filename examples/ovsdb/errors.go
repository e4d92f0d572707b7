package ovsdb

import (
	"errors"
	"strings"
)

// What errors.Is finds. Other errors come from the network or the context, or
// are a *ServerError.
var (
	// ErrNoBridge says that there is no bridge of that name. Nothing was changed.
	ErrNoBridge = errors.New("no such bridge")
	// ErrNotApplied says that the database has the change, but that the switch
	// had not taken it over when the call ended. It does so once it runs.
	ErrNotApplied = errors.New("written, but not taken over by the switch")
	// ErrMalformed says that the server sent what is no OVSDB.
	ErrMalformed = errors.New("malformed message")
	// ErrConnLost says that the connection is of no use any more. The reason is
	// wrapped as well: net.ErrClosed after Close.
	ErrConnLost = errors.New("connection lost")
)

// ServerError is the server's refusal of a transaction. Nothing was changed.
type ServerError struct {
	// Op is the index of the refused operation. The number of operations stands
	// for the commit after them, and -1 for the request as a whole.
	Op      int
	Code    string // RFC 7047 section 3.1, such as "constraint violation"
	Details string // for people, may be empty
}

// Error says what the server said.
func (e *ServerError) Error() string {
	return strings.TrimSuffix("refused by the server: "+e.Code+": "+e.Details, ": ")
}
