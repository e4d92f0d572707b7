package ofgroup

import "github.com/ofmcast/ofmcast/internal/openflow"

// Mod is one GROUP_MOD message (OpenFlow 1.5.1, 7.3.4.3). It comes only from the methods
// Mod, ModInsert and ModRemove of a Group, from DeleteAll or from UnmarshalBinary, has been
// checked, and is never changed by anything but UnmarshalBinary; any number of goroutines
// may encode it.
//
// Its methods Len, MarshalBinary and UnmarshalBinary are those that Go libraries for
// OpenFlow ask of a message. The zero Mod is no message and does not encode.
type Mod struct {
	group   Group // numbered
	cmd     Command
	version Version
	xid     uint32
	at      BucketID // command_bucket_id of OpenFlow 1.5
	length  uint16
}

// Mod is the message that does cmd with g in version v: Add, Modify or AddOrMod with
// all of g, or Delete, which takes the number of g and nothing else. It sends nothing.
// Single buckets come and go by ModInsert and ModRemove.
//
// The error is an *Error that names the bucket and the rule for which a switch would
// refuse the message (see Validate), or ErrTooLarge, ErrCommand or ErrVersion.
func (g Group) Mod(cmd Command, v Version) (*Mod, error) {
	fail := func(err error) (*Mod, error) {
		return nil, &Error{Op: cmd.String(), ID: g.id, Bucket: NoBucket, Err: err}
	}
	if err := v.check(); err != nil {
		return fail(err)
	}
	switch cmd {
	case Add, Modify, AddOrMod:
	case Delete:
		g = New(g.id, All)
	default:
		return fail(fault{ErrCommand, cmd.String()})
	}
	if err := g.validate(cmd.String()); err != nil {
		return nil, err
	}
	g, i, err := g.inVersion(v)
	if err != nil {
		return nil, &Error{Op: cmd.String(), ID: g.id, Bucket: i, Err: err}
	}
	n, err := g.measure(v)
	if err != nil {
		return fail(err)
	}
	length, ok := openflow.Narrow[uint16](modHeaderLen(v) + n + len(g.props()))
	if !ok { // measure has seen to it; but a length that wraps corrupts the stream
		return fail(&TooLargeError{Version: v, Buckets: g.Len()})
	}
	return &Mod{group: g.numbered(), cmd: cmd, version: v, at: AllBuckets, length: length}, nil
}

// DeleteAll is the message that deletes every group of the switch, whoever made it, and
// every flow that uses one. It is the only way to say so; Mod refuses the number
// AllGroups. A version unknown here counts as OpenFlow 1.5.
func DeleteAll(v Version) *Mod {
	if v != OpenFlow13 {
		v = OpenFlow15
	}
	length, _ := openflow.Narrow[uint16](modHeaderLen(v))
	return &Mod{group: New(AllGroups, All), cmd: Delete, version: v, at: AllBuckets, length: length}
}

// Command is what the message does.
func (m *Mod) Command() Command { return m.cmd }

// Version is the OpenFlow version of the message.
func (m *Mod) Version() Version { return m.version }

// Group is the group in the message: for Delete only its number.
func (m *Mod) Group() Group { return m.group }

// CommandBucket says where InsertBucket puts its buckets (FirstBucket, LastBucket, or
// after a number) and which ones RemoveBucket removes. It is AllBuckets for all other
// commands and in OpenFlow 1.3, which does not know it.
func (m *Mod) CommandBucket() BucketID { return m.at }

// Len is the length of the encoded message in bytes. It is always true.
func (m *Mod) Len() uint16 { return m.length }

// XID is the transaction ID of a decoded message, and 0 otherwise: whoever sends a
// message numbers its encoded copy, in bytes 4 to 7.
func (m *Mod) XID() uint32 { return m.xid }

// String is the message as a line for ovs-ofctl add-groups: the command, then what
// Group.String says.
func (m *Mod) String() string {
	s := m.cmd.String()
	switch m.cmd {
	case Delete:
		return s + " group_id=" + m.group.id.String()
	case InsertBucket, RemoveBucket:
		return s + " " + m.group.text(&m.at)
	default:
		return s + " " + m.group.String()
	}
}
