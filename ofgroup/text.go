package ofgroup

import "strings"

// String is the group as a line for ovs-ofctl add-groups, in the words in which
// ovs-ofctl dump-groups prints it: a weight of 1 in a Select group is left out. Bucket
// numbers are printed if any bucket was given one, and then on every bucket.
//
// Open vSwitch's tool has no words, and refuses the line, for actions and properties that
// this package keeps as bytes, for Resubmit(255), for a Meter that is not a bucket's first
// action, for an ALG that it does not know, for a watch of a reserved port other than
// PortController, and for some parts of IPFrag and CTState in a Selection. What carries a
// fault is told in parentheses, which it refuses too.
func (g Group) String() string { return g.text(nil) }

// text is String, with the command_bucket_id at, which only insert and remove have, in
// place of the type, which they must not have. Where the type is not told, no weight goes
// without saying.
func (g Group) text(at *BucketID) string {
	var sb strings.Builder
	sb.WriteString("group_id=" + g.id.String())
	if at != nil {
		sb.WriteString(",command_bucket_id=" + at.String())
	} else {
		sb.WriteString(",type=" + g.typ.String())
	}
	if g.sel != nil {
		sb.WriteString("," + g.sel.String())
	}
	g = g.numbered()
	for i, b := range g.buckets.each {
		sb.WriteString(",bucket=")
		if at != nil {
			whole := b.onWire(i, g.typ)
			whole.text(&sb, All)
			continue
		}
		b.text(&sb, g.typ)
	}
	return sb.String()
}

// String is the bucket as it stands in Group.String.
func (b Bucket) String() string {
	var sb strings.Builder
	b.text(&sb, All)
	return sb.String()
}

func (b *Bucket) text(sb *strings.Builder, t Type) {
	if id, ok := b.ID(); ok {
		sb.WriteString("bucket_id:" + id.String() + ",")
	}
	if w, ok := b.Weight(); ok && (t != Select || w != defaultWeight) {
		sb.WriteString("weight:" + ID(w).String() + ",")
	}
	if p, ok := b.WatchPort(); ok {
		sb.WriteString("watch_port:" + p.String() + ",")
	}
	if id, ok := b.WatchGroup(); ok {
		sb.WriteString("watch_group:" + id.String() + ",")
	}
	sb.WriteString("actions=")
	if err := b.oddity().fault; err != nil { // nothing that a tool would take for another bucket
		sb.WriteString("(" + err.Error() + ")")
		return
	}
	sb.WriteString(listText(b.list(), 0))
}
