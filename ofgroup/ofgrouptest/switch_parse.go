package ofgrouptest

// GROUP_MOD of OpenFlow 1.5 (section 7.3.4.3) as Open vSwitch reads it: the order
// of the checks decides which error a message with several faults draws.

const (
	cmdAdd      = 0
	cmdModify   = 1
	cmdDelete   = 2
	cmdInsert   = 3
	cmdRemove   = 5
	cmdAddOrMod = 0x8000 // Open vSwitch's extension

	typeAll      = 0
	typeSelect   = 1
	typeIndirect = 2
	typeFF       = 3

	maxGroupID = 0xffffff00
	allGroups  = 0xfffffffc

	maxBucketID = 0xffffff00
	bucketFirst = 0xfffffffd
	bucketLast  = 0xfffffffe
	bucketAll   = 0xffffffff

	anyWatch = 0xffffffff // OFPP_ANY and OFPG_ANY

	groupModLen  = 24
	bucketHeader = 8
)

// groupMod is one GROUP_MOD taken apart. It owns its memory.
type groupMod struct {
	command uint16
	kind    uint8
	id      uint32
	at      uint32 // command_bucket_id
	buckets []bucket
	props   []byte
}

// bucket is what the switch keeps of a bucket: the actions as bytes, the
// properties as values, because they are described by the group's type.
type bucket struct {
	id                    uint32
	weight                uint16
	watchPort, watchGroup uint32
	actions               []byte
}

func (b bucket) watches() bool { return b.watchPort != anyWatch || b.watchGroup != anyWatch }

func parseGroupMod(m []byte) (groupMod, verdict) {
	if len(m) < groupModLen || len(m)%8 != 0 {
		return groupMod{}, badLen
	}
	g := groupMod{
		command: be.Uint16(m[8:]),
		kind:    m[10],
		id:      be.Uint32(m[12:]),
		at:      be.Uint32(m[20:]),
	}
	if !commandBucketOK(g.command, g.at) {
		return groupMod{}, badBucket
	}
	rest := m[groupModLen:]
	n := int(be.Uint16(m[16:]))
	if n > len(rest) {
		return groupMod{}, badLen
	}
	var v verdict
	if g.buckets, v = parseBuckets(rest[:n], g.kind); v != accepted {
		return groupMod{}, v
	}
	if g.props, v = parseGroupProps(rest[n:], g.kind, g.command); v != accepted {
		return groupMod{}, v
	}
	return g, g.check()
}

// commandBucketOK: the commands that replace or delete a group must say "all
// buckets"; inserting at "all" means nothing, removing all does.
func commandBucketOK(command uint16, at uint32) bool {
	switch command {
	case cmdInsert:
		return at <= maxBucketID || at == bucketFirst || at == bucketLast
	case cmdRemove:
		return at <= maxBucketID || at >= bucketFirst
	default:
		return at == bucketAll
	}
}

func parseBuckets(b []byte, kind uint8) ([]bucket, verdict) {
	var out []bucket
	seen := make(map[uint32]bool)
	duplicate := false
	for len(b) > 0 {
		if len(b) < bucketHeader {
			return nil, badBucket
		}
		n := int(be.Uint16(b))
		if n < bucketHeader || n > len(b) {
			return nil, badBucket
		}
		bk, v := parseBucket(b[:n], kind)
		if v != accepted {
			return nil, v
		}
		duplicate = duplicate || seen[bk.id]
		seen[bk.id] = true
		out = append(out, bk)
		b = b[n:]
	}
	if duplicate {
		return nil, badBucket
	}
	return out, accepted
}

func parseBucket(b []byte, kind uint8) (bucket, verdict) {
	bk := bucket{id: be.Uint32(b[4:]), watchPort: anyWatch, watchGroup: anyWatch}
	if kind == typeSelect {
		bk.weight = 1
	}
	n := int(be.Uint16(b[2:]))
	if bk.id > maxBucketID || n > len(b)-bucketHeader {
		return bucket{}, badBucket
	}
	if n%8 != 0 {
		return bucket{}, badLen
	}
	actions, v := parseActions(b[bucketHeader : bucketHeader+n])
	if v != accepted {
		return bucket{}, v
	}
	bk.actions = actions
	if v := bk.parseProps(b[bucketHeader+n:]); v != accepted {
		return bucket{}, v
	}
	return bk, accepted
}

// check holds the rules that need the whole message. They go by the type byte of
// the message, not by the type of the group that an INSERT or REMOVE names.
func (g groupMod) check() verdict {
	if g.kind > typeFF {
		return badGroupType
	}
	if g.kind == typeIndirect && g.command != cmdDelete && len(g.buckets) != 1 {
		return invalidGroup
	}
	switch g.command {
	case cmdAdd, cmdModify, cmdDelete, cmdInsert, cmdAddOrMod:
	case cmdRemove:
		if len(g.buckets) > 0 {
			return badBucket
		}
	default:
		return badGroupCommand
	}
	for _, b := range g.buckets {
		if v := g.checkBucket(b); v != accepted {
			return v
		}
	}
	return accepted
}

func (g groupMod) checkBucket(b bucket) verdict {
	switch {
	case b.weight != 0 && g.kind != typeSelect && g.command != cmdInsert:
		return invalidGroup
	case g.kind == typeFF && !b.watches():
		return invalidGroup
	case (g.kind == typeAll || g.kind == typeIndirect) && b.watches():
		return watchUnsupported
	}
	return accepted
}
