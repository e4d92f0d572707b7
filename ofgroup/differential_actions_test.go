package ofgroup_test

import (
	"pgregory.net/rapid"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// anyAction is an action that can be and that has words, nested up to so deep.
func anyAction(t *rapid.T, depth int) Action {
	if depth > 0 && rapid.IntRange(0, 19).Draw(t, "nested") == 0 {
		return anyClone(t, depth)
	}
	for range 20 {
		if a := rapid.SampledFrom(actionKinds).Draw(t, "kind")(t); New(1, All).AddBuckets(NewBucket(a)).Validate() == nil {
			return a
		}
	}
	return PopVLAN()
}

// actionKinds draw every kind of action that has a constructor and no actions within. Some of what
// they draw cannot be.
var actionKinds = []func(t *rapid.T) Action{
	func(t *rapid.T) Action { return anySet(t) },
	func(t *rapid.T) Action { return Copy(anyField(t), anyField(t)) },
	func(t *rapid.T) Action { return anyCopy(t) },
	func(t *rapid.T) Action { return Output(anyPort(t)) },
	func(t *rapid.T) Action { return OutputField(anyField(t), 0xffff) },
	func(t *rapid.T) Action {
		return OutputTruncated(anyPort(t), rapid.Uint32Range(14, 0xffffffff).Draw(t, "max_len"))
	},
	func(t *rapid.T) Action { return OutputGroup(anyID(t)) },
	func(t *rapid.T) Action { return Resubmit(anyTable(t)) },
	func(t *rapid.T) Action { return ResubmitPort(anyPort(t), anyTable(t)) },
	func(t *rapid.T) Action { return ResubmitCT(anyPort(t), anyTable(t)) },
	func(t *rapid.T) Action { return anyController(t) },
	func(t *rapid.T) Action {
		return DecTTL(rapid.SliceOfN(rapid.Uint16(), 0, 5).Draw(t, "controllers")...)
	},
	func(t *rapid.T) Action { return SetTTL(rapid.Uint8().Draw(t, "ttl")) },
	func(t *rapid.T) Action { return SetMPLSTTL(rapid.Uint8().Draw(t, "ttl")) },
	func(*rapid.T) Action { return DecMPLSTTL() },
	func(t *rapid.T) Action {
		return PushVLAN(rapid.SampledFrom([]uint16{TPID8021Q, TPID8021AD}).Draw(t, "tpid"))
	},
	func(*rapid.T) Action { return PopVLAN() },
	func(t *rapid.T) Action {
		return PushMPLS(rapid.SampledFrom([]uint16{EthTypeMPLS, EthTypeMPLSMulticast}).Draw(t, "type"))
	},
	func(t *rapid.T) Action { return PopMPLS(rapid.Uint16().Draw(t, "type")) },
	func(t *rapid.T) Action { return SetQueue(rapid.Uint32().Draw(t, "queue")) },
	func(*rapid.T) Action { return PopQueue() },
	func(*rapid.T) Action { return CTClear() },
	func(t *rapid.T) Action { return Note(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "note")) },
	func(t *rapid.T) Action { return anyCT(t) },
}

func anyClone(t *rapid.T, depth int) Action {
	var actions []Action
	for range rapid.IntRange(0, 3).Draw(t, "within") {
		actions = append(actions, anyAction(t, depth-1))
	}
	return Clone(actions...)
}

// anySet gives a field or a part of it a value of a kind that fits.
func anySet(t *rapid.T) Action { return setTo(t, anyField(t)) }

func setTo(t *rapid.T, f Field) Action {
	b := any16(t)
	number := rapid.Uint64().Draw(t, "value") >> rapid.IntRange(0, 63).Draw(t, "shift")
	for _, a := range []Action{Set(f, anyAddr(t)), Set(f, [6]byte(b[:6])), Set(f, b), Set(f, number)} {
		if a.Err() == nil {
			return a
		}
	}
	return Set(f, number&1)
}

// anyCopy copies between parts of equal width, which two random parts seldom have.
func anyCopy(t *rapid.T) Action {
	from := rapid.SampledFrom(allFields()).Draw(t, "from")
	to := rapid.SampledFrom(allFields()).Draw(t, "to")
	n := rapid.IntRange(1, max(1, min(widths()[from], widths()[to]))).Draw(t, "bits")
	a := rapid.IntRange(0, max(0, widths()[from]-n)).Draw(t, "from bit")
	b := rapid.IntRange(0, max(0, widths()[to]-n)).Draw(t, "to bit")
	return Copy(from.Bits(a, a+n-1), to.Bits(b, b+n-1))
}

func anyController(t *rapid.T) Action {
	return Controller(PacketInAction{
		ID:       rapid.Uint16Range(0, 3).Draw(t, "id"),
		MaxLen:   rapid.OneOf(rapid.Just(uint16(0)), rapid.Uint16()).Draw(t, "max_len"),
		Reason:   PacketInReason(rapid.IntRange(0, int(ReasonPacketOut)).Draw(t, "reason")),
		UserData: rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "userdata"),
		Pause:    rapid.Bool().Draw(t, "pause"),
		Meter:    rapid.Uint32Range(0, 2).Draw(t, "meter"),
	})
}

func anyCT(t *rapid.T) Action {
	c := CTAction{
		Commit:      rapid.Bool().Draw(t, "commit"),
		Force:       rapid.Bool().Draw(t, "force"),
		Recirculate: rapid.Bool().Draw(t, "recirculate"),
		ALG:         rapid.SampledFrom([]uint16{0, 0, ALGFTP, ALGTFTP}).Draw(t, "alg"),
	}
	c.Force = c.Force && c.Commit
	if c.Recirculate {
		c.Table = uint8(rapid.IntRange(0, 254).Draw(t, "table"))
	}
	if rapid.Bool().Draw(t, "zone from a field") {
		c.ZoneField = anyField(t)
	} else {
		c.Zone = rapid.Uint16().Draw(t, "zone")
	}
	if rapid.Bool().Draw(t, "nat") {
		c.NAT = anyNAT(t)
	}
	if c.Commit {
		for range rapid.IntRange(0, 2).Draw(t, "exec") {
			f := part(t, rapid.SampledFrom([]Field{CTMark, CTLabel}).Draw(t, "mark"))
			a := setTo(t, f)
			if c := Copy(anyField(t), f); c.Err() == nil {
				a = c
			}
			c.Exec = append(c.Exec, a)
		}
	}
	return CT(c)
}

func anyNAT(t *rapid.T) *NAT {
	n := &NAT{Kind: NATKind(rapid.IntRange(0, 2).Draw(t, "nat kind"))}
	if n.Kind == NATRestore {
		return n
	}
	n.Persistent = rapid.Bool().Draw(t, "persistent")
	n.Hash = rapid.Bool().Draw(t, "hash")
	n.Random = !n.Hash && rapid.Bool().Draw(t, "random")
	if rapid.Bool().Draw(t, "range") {
		n.Min = anyAddr(t)
		if rapid.Bool().Draw(t, "to") {
			n.Max = anyAddr(t)
		}
		if rapid.Bool().Draw(t, "ports") {
			n.MinPort = rapid.Uint16Range(1, 0xffff).Draw(t, "min")
			n.MaxPort = rapid.SampledFrom([]uint16{0, n.MinPort, 0xffff}).Draw(t, "max")
		}
	}
	return n
}

// anyTable is not 255, the table that a packet is in: ovs-ofctl has no words to resubmit there
// unless it is from another port.
func anyTable(t *rapid.T) uint8 { return rapid.Uint8Range(0, 254).Draw(t, "table") }
