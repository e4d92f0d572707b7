package mroute

import (
	"context"
	"os"
)

// kernel is what a Socket asks of the system: one system call a method. Errors are the system's own, unexplained.
type kernel interface {
	addVIF(v VIF, i IfIndex) error
	addRegister(v VIF) error
	delVIF(v VIF) error
	// addMFC and delMFC find a wildcard entry by its incoming VIF too, unless that is NoVIF.
	addMFC(k mfcKey, in VIF, out ttls) error
	delMFC(k mfcKey, in VIF) error
	flush(what Flush) error
	version() (int, error)
	// tellsWrongVIF says whether the kernel makes WrongVIF upcalls wherever the packet comes (MRT_PIM). With MRT_ASSERT it
	// does only at outgoing VIFs.
	tellsWrongVIF() bool
	routeCounters(k mfcKey) (RouteCounters, error)
	vifCounters(v VIF) (VIFCounters, error)
	// dumpRoutes and dumpVIFs tell what is in the table. The routes' interfaces have no numbers.
	dumpRoutes() ([]KernelRoute, error)
	dumpVIFs() ([]KernelVIF, error)
	// route tells of one route.
	route(k mfcKey) (KernelRoute, error)
	// fibRules are all rules that send packets to tables; addRule and delRule change this package's.
	fibRules() ([]fibRule, error)
	addRule(r fibRule) error
	delRule(r fibRule) error
	// watch follows the changes in the table.
	watch() (routeSource, error)
	// read waits for one message until ctx ends or the kernel is closed.
	read(ctx context.Context, b []byte) (int, error)
	// file is a copy of the descriptor.
	file() (*os.File, error)
	// close ends the routing, release only the use of this descriptor.
	close() error
	release() error
}

// routeSource tells of changes in a table.
type routeSource interface {
	next(ctx context.Context) (Change, error)
	close() error
}
