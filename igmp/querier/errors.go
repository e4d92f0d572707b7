package querier

import "errors"

// Why a configuration, an address or a request was refused. Other causes are igmp's: igmp.ErrMAC, igmp.ErrVLAN,
// igmp.ErrVLANDepth, igmp.ErrAddress, igmp.ErrVersion, igmp.ErrTime, igmp.ErrDestination.
var (
	// ErrNotQuerier: another router is the querier, and it alone sends specific queries (RFC 9776 6.6.3).
	ErrNotQuerier = errors.New("another router is the querier")
	// ErrNoSpecific: IGMPv1 knows general queries only.
	ErrNoSpecific = errors.New("IGMPv1 has no specific queries")
	// ErrNoAddress: a Querier needs one; 0.0.0.0 is for proxy mode.
	ErrNoAddress = errors.New("no address")
	// ErrTiming: a value out of its range, which is told in Config.
	ErrTiming = errors.New("timing out of range")
)

// Error says what was being done, and where it failed. It wraps one of the sentinels above or of package igmp.
type Error struct {
	// Op is "configure", "set addresses" or "specific query".
	Op string
	// Where names the field at fault ("QI", "address 1", "version 7"); empty when the whole is.
	Where string
	// Err is the cause.
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	s := "querier: " + e.Op + ": "
	if e.Where != "" {
		s += e.Where + ": "
	}
	return s + e.Err.Error()
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Err }
