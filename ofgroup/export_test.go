package ofgroup

import "github.com/ofmcast/ofmcast/internal/openflow"

// ForceMod is the message of a group that Mod would refuse to make. Faults of actions and
// of the selection cannot be forced: there are no bytes for them.
func ForceMod(g Group, cmd Command, v Version) *Mod {
	g = g.numbered()
	n := 0
	for _, b := range g.buckets.each {
		n += b.encodedLen(g.typ, v)
	}
	length, _ := openflow.Narrow[uint16](modHeaderLen(v) + n + len(g.props()))
	return &Mod{group: g, cmd: cmd, version: v, at: AllBuckets, length: length}
}
