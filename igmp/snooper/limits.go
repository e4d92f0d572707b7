package snooper

// Limits bound the work that the senders behind one port can cause, and what is remembered of it. 0 takes the default,
// a negative number is no limit. What is over a limit is refused and counted, and disturbs nothing that was there
// before, on this port or another. Trusted ports have no limits.
//
// The number of groups and sources that a port has is not bounded here, because a Snooper keeps no memberships and does
// not know when one ends: whoever keeps them counts them (mcast.Limits: GroupsPerMember, SourcesPerMember).
type Limits struct {
	// FramesPerSecond is how many reports, leaves and messages of unknown types a port may send in a second, in the
	// long run, and as many of its own queries and other signs of a router: those two are counted apart, so that no
	// flood of reports can silence a querier. Signs of a router have no limit on a port with the role Router. Frames
	// that are ignored for another reason, or refused, do not count. Default 1000. IgnoredRate.
	FramesPerSecond int
	// FrameBurst is how many of those frames may come at once, after silence. Default four times FramesPerSecond, for
	// answers to one query from many hosts, or for many groups.
	FrameBurst int
	// Ports is how many ports the two above are counted for, about 100 bytes each. Only ports that have sent so lately
	// that their burst is not whole again need one. Frames from a port that there is no room for are ignored. Default
	// 65,536. IgnoredPortLimit.
	Ports int
	// RecordsPerReport is how many records of one report are read; the rest is ignored, each record counted. Default
	// 2048, which is more than a frame of 9216 bytes holds. IgnoredRecordLimit.
	RecordsPerReport int
	// SourcesPerRecord is how many sources a record may list, as they are on the wire. A record with more is ignored,
	// because a part of it would say something else. Default 4096, which is more than a frame of 9216 bytes holds.
	// IgnoredSourceLimit.
	SourcesPerRecord int
}

const unlimited = int(^uint(0) >> 1)

func (l Limits) withDefaults() Limits {
	l.FramesPerSecond = limit(l.FramesPerSecond, 1000)
	l.Ports = limit(l.Ports, 1<<16)
	l.RecordsPerReport = limit(l.RecordsPerReport, 1<<11)
	l.SourcesPerRecord = limit(l.SourcesPerRecord, 1<<12)
	usual := unlimited
	if l.FramesPerSecond < unlimited/4 {
		usual = 4 * l.FramesPerSecond
	}
	l.FrameBurst = limit(l.FrameBurst, usual)
	return l
}

func limit(given, usual int) int {
	switch {
	case given == 0:
		return usual
	case given < 0:
		return unlimited
	}
	return given
}
