package ofsink

import (
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// Output is the bucket that puts packets out of a port. Its ID is the port's number, so that
// ovs-ofctl dump-groups and dump-group-stats can be read by port; that of a reserved port (LOCAL) is
// left to ofgroup, as its number is no legal bucket ID. OpenFlow 1.3 has no bucket IDs, and refuses it.
func Output(p ofgroup.Port) ofgroup.Bucket {
	b := ofgroup.NewBucket(ofgroup.Output(p))
	if id := ofgroup.BucketID(p); id <= ofgroup.MaxBucketID {
		b = b.WithID(id)
	}
	return b
}

// ToPort is a Config.Bucket for members that are ports.
func ToPort(_ mcast.Group, p ofgroup.Port) (ofgroup.Bucket, bool) { return Output(p), true }
