package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ofmcast/ofmcast/examples/ovsdb"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// errTunnelled says that a port wraps what its hosts tag in another tag, which would be lost here.
var errTunnelled = errors.New("VLAN mode dot1q-tunnel is not supported")

// carriage is how a port carries VLANs, as Open vSwitch itself reads its settings (the columns tag,
// trunks and vlan_mode of a Port). Flows that output to a port pass those settings by, so what they say
// has to be done in flows and buckets. VLAN 0 is that of frames without a tag on a port that puts them
// into no other. The zero value is a port without settings: it carries every VLAN, each with its tag.
type carriage struct {
	access bool     // no tags here: what comes in is in VLAN native
	native uint16   // the VLAN of frames that come in without a tag
	tagOut bool     // frames of VLAN native leave with its tag all the same
	listed bool     // only the VLANs of the list are carried
	list   []uint16 // ascending
}

// nothing is carried by a port whose settings cannot be followed.
var nothing = carriage{listed: true}

// carriageOf reads the settings of a port. With an error it is nothing.
func carriageOf(p ovsdb.Port) (carriage, error) {
	mode := p.VLANMode
	if mode == "" {
		mode = "trunk"
		if p.HasTag {
			mode = "access"
		}
	}
	trunk := carriage{listed: len(p.Trunks) > 0, list: slices.Sorted(slices.Values(p.Trunks))}
	switch mode {
	case "access":
		return carriage{access: true, native: p.Tag}, nil
	case "trunk": // its tag means nothing
		return trunk, nil
	case "native-untagged", "native-tagged":
		if p.Tag != 0 { // the native VLAN is carried, listed or not, and VLAN 0 is not
			trunk.native, trunk.tagOut = p.Tag, mode == "native-tagged"
			if trunk.listed {
				trunk.list = slices.Compact(slices.Sorted(slices.Values(append(trunk.list, p.Tag))))
			}
		}
		return trunk, nil
	case "dot1q-tunnel":
		return nothing, fmt.Errorf("port %s: %w", p.Name, errTunnelled)
	}
	return nothing, fmt.Errorf("port %s: unknown VLAN mode %q", p.Name, mode)
}

func (c carriage) equal(o carriage) bool {
	return c.access == o.access && c.native == o.native && c.tagOut == o.tagOut && c.listed == o.listed && slices.Equal(c.list, o.list)
}

// plain says whether the port has no settings.
func (c carriage) plain() bool { return !c.access && c.native == 0 && !c.listed }

// carries says whether the VLAN is one of the port's.
func (c carriage) carries(vlan uint16) bool {
	switch {
	case c.access:
		return vlan == c.native
	case vlan == 0: // frames without a tag may be in VLAN native instead
		return c.native == 0 && c.inList(0)
	}
	return c.inList(vlan)
}

func (c carriage) inList(vlan uint16) bool {
	_, there := slices.BinarySearch(c.list, vlan)
	return there || !c.listed
}

// of are those of these VLANs that are carried. It may share their array.
func (c carriage) of(vlans []uint16) []uint16 {
	if c.plain() {
		return vlans
	}
	var carried []uint16
	for _, vlan := range vlans {
		if c.carries(vlan) {
			carried = append(carried, vlan)
		}
	}
	return carried
}

// tagged says whether frames of the VLAN are taken with its tag.
func (c carriage) tagged(vlan uint16) bool { return vlan != 0 && !c.access && c.carries(vlan) }

// untagged says whether frames without a tag are in this VLAN.
func (c carriage) untagged(vlan uint16) bool { return vlan == c.native && c.carries(vlan) }

// named are the VLANs that the settings name. A port that carries every VLAN names none of them.
func (c carriage) named() []uint16 {
	named := slices.Clone(c.list)
	if c.carries(c.native) {
		named = append(named, c.native)
	}
	return named
}

// out are the actions that send a frame without a tag out of a port in a VLAN.
func (c carriage) out(p ofgroup.Port, vlan uint16) []ofgroup.Action {
	if vlan == 0 || c.access || vlan == c.native && !c.tagOut {
		return []ofgroup.Action{ofgroup.Output(p)}
	}
	const present = 0x1000 // OFPVID_PRESENT (OpenFlow 1.5.1, 7.2.3.8)
	return []ofgroup.Action{
		ofgroup.PushVLAN(ofgroup.TPID8021Q),
		ofgroup.Set(ofgroup.VLANVID, vlan|present),
		ofgroup.Output(p),
	}
}

// bucket is what a group has for a port in a VLAN. Its ID is the port's number, so that what ovs-ofctl
// prints can be read by port; the bridge's own port has none that would be legal.
func (c carriage) bucket(p ofgroup.Port, vlan uint16) ofgroup.Bucket {
	b := ofgroup.NewBucket(c.out(p, vlan)...)
	if id := ofgroup.BucketID(p); id <= ofgroup.MaxBucketID {
		b = b.WithID(id)
	}
	return b
}
