package snooper

import "strconv"

// Validator decides about a record that everything else would let through: whether this host, behind this port, in this
// VLAN, may have this group from these sources. Frame calls it once for each such record, whatever the port's role;
// queries it does not see. It must not call the Snooper, and neither change the record's Sources nor keep them.
type Validator func(Record) Decision

// Decision is a Validator's answer. Zero is invalid and counts as Drop, as does every other value that is none of them.
type Decision uint8

const (
	// Allow takes the record: AcceptedReport.
	Allow Decision = iota + 1
	// Drop ignores the record, as if it had never come: IgnoredByValidator. A membership that the host has already
	// goes on until its time is over.
	Drop
	// TreatAsLeave takes the record as one that wants nothing of the group, TO_IN{}: AcceptedAsLeave. So the next
	// report ends a membership that is no longer allowed, instead of keeping it.
	TreatAsLeave
)

// String returns the decision in lower case, Decision(0x..) for an unknown one.
func (d Decision) String() string {
	switch d {
	case Allow:
		return "allow"
	case Drop:
		return "drop"
	case TreatAsLeave:
		return "treat as leave"
	}
	return "Decision(0x" + strconv.FormatUint(uint64(d)>>4, 16) + strconv.FormatUint(uint64(d)&0xf, 16) + ")"
}
