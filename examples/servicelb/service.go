package main

import (
	"net/netip"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// Tables that the buckets resubmit to: straight to the endpoint's address translation, or first to
// the table that learns which client goes to which endpoint.
const (
	tableEndpoint = 6
	tableAffinity = 5
)

// service is one Service's load balancing: a SELECT group whose buckets are its endpoints.
type service struct {
	name  string
	group ofgroup.ID
	table uint8 // where its buckets resubmit to
}

// describe returns the group for these endpoints. It is a value: building it sends nothing.
func (s service) describe(endpoints []netip.AddrPort) ofgroup.Group {
	g := ofgroup.New(s.group, ofgroup.Select)
	for _, e := range endpoints {
		g = g.AddBuckets(s.bucket(e))
	}
	return g
}

// bucket notes the endpoint in registers and hands the packet on: an IPv4 address fits reg3, an
// IPv6 address takes the four registers behind xxreg3.
func (s service) bucket(e netip.AddrPort) ofgroup.Bucket {
	address := ofgroup.Reg(3)
	if e.Addr().Is6() {
		address = ofgroup.XXReg(3)
	}
	return ofgroup.NewBucket(
		ofgroup.Set(address, e.Addr()),
		ofgroup.Set(ofgroup.Reg(4).Bits(0, 15), e.Port()),
		ofgroup.Resubmit(s.table),
	).WithWeight(100)
}
