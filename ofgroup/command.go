package ofgroup

import "strconv"

// Command is what a GROUP_MOD does (OpenFlow 1.5.1, 7.3.4.3).
type Command uint16

const (
	Add          Command = 0 // fails with ErrGroupExists if the switch has the group
	Modify       Command = 1 // replaces all; fails with ErrUnknownGroup if it has not
	Delete       Command = 2 // no error if it has not; also deletes the flows that use it
	InsertBucket Command = 3 // OpenFlow 1.5
	RemoveBucket Command = 5 // OpenFlow 1.5

	// AddOrMod adds the group or, where the switch has it, modifies it. It is Open
	// vSwitch's own command (2.6 and later), in OpenFlow 1.3 and 1.5 alike.
	AddOrMod Command = 0x8000
)

// String is the keyword that starts a line of ovs-ofctl add-groups.
func (c Command) String() string {
	switch c {
	case Add:
		return "add"
	case Modify:
		return "modify"
	case Delete:
		return "delete"
	case InsertBucket:
		return "insert_bucket"
	case RemoveBucket:
		return "remove_bucket"
	case AddOrMod:
		return "add_or_mod"
	default:
		return "Command(0x" + strconv.FormatUint(uint64(c), 16) + ")"
	}
}
