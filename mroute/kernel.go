package mroute

import "context"

// kernel is what a Socket asks of the system: one system call a method. Errors are the system's own, unexplained.
type kernel interface {
	addVIF(v VIF, i IfIndex) error
	delVIF(v VIF) error
	addMFC(k SG, in VIF, out *ttls) error
	delMFC(k SG) error
	routeCounters(k SG) (RouteCounters, error)
	vifCounters(v VIF) (VIFCounters, error)
	// read waits for one message until ctx ends or the kernel is closed.
	read(ctx context.Context, b []byte) (int, error)
	close() error
}
