// Package ovslab runs a private Open vSwitch for tests and demonstrations: an
// ovsdb-server and an ovs-vswitchd of their own in a directory of their own,
// with one bridge on the dummy datapath. It needs neither root nor the kernel
// module, several labs run side by side, and the system's own switch is never
// spoken to.
//
// A lab leaves nothing behind. Every daemon runs under a guard, a small shell
// that holds the read end of a pipe of ours: when the pipe ends, because Close
// was called or because this process panicked, was interrupted or was killed
// with SIGKILL, the guard ends its own child, and removes the lab's temporary
// directory if we are no longer there to do it.
//
//	lab, err := ovslab.Start(ctx, ovslab.Config{Ports: []string{"p1", "p2"}})
//	if err != nil { … }
//	defer lab.Close()
//	conn, err := lab.Dial(ctx)                       // the bridge's OpenFlow socket
//	dump, err := lab.Ofctl(ctx, "dump-groups", lab.Bridge())
//
// Tests use New, which skips where Open vSwitch is not installed.
package ovslab
