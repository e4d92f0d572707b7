package ofgroup

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// groupTypes is the number of group types that OpenFlow knows.
const groupTypes = 4

// GroupFeatures is what a switch can do with groups (OFPMP_GROUP_FEATURES; OpenFlow 1.5.1,
// 7.3.5.11). It is comparable.
type GroupFeatures struct {
	Types        uint32             // bit t: the switch has groups of Type t
	Capabilities GroupCapabilities  // of groups of all types
	MaxGroups    [groupTypes]uint32 // by Type: how many groups there can be
	Actions      [groupTypes]uint32 // by Type: bit n: buckets take OpenFlow's action of type n
}

// GroupCapabilities is a set of things that not every switch can do.
type GroupCapabilities uint32

const (
	CanWeigh        GroupCapabilities = 1 << iota // weights in Select groups
	CanWatch                                      // watches in Select groups
	CanChain                                      // groups that output to groups
	CanRefuseChains                               // finds loops in them, and groups deleted while in use
)

// Has reports whether the switch has groups of type t.
func (f GroupFeatures) Has(t Type) bool { return t < 32 && f.Types>>t&1 != 0 }

const (
	featuresLen      = 40
	offFeaturesMax   = 8
	offFeaturesTakes = offFeaturesMax + 4*groupTypes
)

var errFeaturesLen = fmt.Errorf("%w: features length", ErrMalformed)

// ParseGroupFeatures decodes the reply to a request for the group features, which is the
// same in both versions: body is what follows the 16 bytes of the multipart header. Another
// length is an *Error that matches ErrMalformed.
func ParseGroupFeatures(v Version, body []byte) (GroupFeatures, error) {
	if err := v.check(); err != nil {
		return GroupFeatures{}, &Error{Op: "decode", Bucket: NoBucket, Err: err}
	}
	if len(body) != featuresLen {
		return GroupFeatures{}, &Error{Op: "decode", Bucket: NoBucket, Err: errFeaturesLen}
	}
	f := GroupFeatures{
		Types:        binary.BigEndian.Uint32(body),
		Capabilities: GroupCapabilities(binary.BigEndian.Uint32(body[4:])),
	}
	for t := range groupTypes {
		f.MaxGroups[t] = binary.BigEndian.Uint32(body[offFeaturesMax+4*t:])
		f.Actions[t] = binary.BigEndian.Uint32(body[offFeaturesTakes+4*t:])
	}
	return f, nil
}

// AppendGroupFeatures appends f to b as the body of a switch's reply, in either version.
func AppendGroupFeatures(b []byte, f GroupFeatures) []byte {
	b = binary.BigEndian.AppendUint32(b, f.Types)
	b = binary.BigEndian.AppendUint32(b, uint32(f.Capabilities))
	for _, n := range f.MaxGroups {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	for _, actions := range f.Actions {
		b = binary.BigEndian.AppendUint32(b, actions)
	}
	return b
}

// String is all of it in one line, with the actions as bits in hexadecimal.
func (f GroupFeatures) String() string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "types=0x%x,capabilities=0x%x", f.Types, uint32(f.Capabilities))
	for t := range Type(groupTypes) {
		fmt.Fprintf(&sb, ",%v(max_groups=%d,actions=0x%x)", t, f.MaxGroups[t], f.Actions[t])
	}
	return sb.String()
}
