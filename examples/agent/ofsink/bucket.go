package ofsink

import (
	"iter"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// Output is the bucket that puts packets out of a port. Its ID is the port's number, so that
// ovs-ofctl dump-groups and dump-group-stats can be read by port; that of a reserved port (LOCAL) is
// left to ofgroup, as its number is no legal bucket ID.
func Output(p ofgroup.Port) ofgroup.Bucket {
	b := ofgroup.NewBucket(ofgroup.Output(p))
	if id := ofgroup.BucketID(p); id <= ofgroup.MaxBucketID {
		b = b.WithID(id)
	}
	return b
}

// ToPort is a Config.Bucket for members that are ports.
func ToPort(_ mcast.Group, p ofgroup.Port) (ofgroup.Bucket, bool) { return Output(p), true }

// Describe returns the OpenFlow group that copies a packet to each of the ports.
func Describe(id ofgroup.ID, ports iter.Seq[ofgroup.Port]) ofgroup.Group {
	return describe(id, func(yield func(ofgroup.Bucket) bool) {
		for p := range ports {
			if !yield(Output(p)) {
				return
			}
		}
	})
}

// describe returns the group of the buckets, each of them once.
func describe(id ofgroup.ID, buckets iter.Seq[ofgroup.Bucket]) ofgroup.Group {
	g := ofgroup.New(id, ofgroup.All)
	seen := make(map[ofgroup.Bucket]bool)
	for b := range buckets {
		if !seen[b] {
			seen[b] = true
			g = g.AddBuckets(b)
		}
	}
	return g
}

// buckets are those of the members, in their order, and the common ones.
func (k *Sink[M]) buckets(g mcast.Group, members iter.Seq[M]) iter.Seq[ofgroup.Bucket] {
	return func(yield func(ofgroup.Bucket) bool) {
		for m := range members {
			if b, ok := k.cfg.Bucket(g, m); ok && !yield(b) {
				return
			}
		}
		if k.cfg.Common == nil {
			return
		}
		for _, b := range k.cfg.Common(g) {
			if !yield(b) {
				return
			}
		}
	}
}
