// Package ovslab runs a private Open vSwitch for tests and demonstrations: an
// ovsdb-server and an ovs-vswitchd of their own in a directory of their own,
// with one bridge. The system's own switch is never spoken to, and several labs
// run side by side.
//
// Start makes a lab on the dummy datapath, which needs neither root nor the
// kernel module, and carries no traffic:
//
//	lab, err := ovslab.Start(ctx, ovslab.Config{Ports: []string{"p1", "p2"}})
//	if err != nil { … }
//	defer lab.Close()
//	conn, err := lab.Dial(ctx)                       // the bridge's OpenFlow socket
//	dump, err := lab.Ofctl(ctx, "dump-groups", lab.Bridge())
//
// StartNet makes a lab with hosts that are as real as the kernel: the switch
// forwards in userspace, in a network namespace of its own, and each host is a
// namespace behind a port, with an address, a version of IGMP and whatever
// programs and sockets are started there. It needs root on Linux:
//
//	lab, err := ovslab.StartNet(ctx, ovslab.NetConfig{Hosts: []ovslab.HostConfig{
//		{Name: "a"}, {Name: "b", IGMPVersion: 2}, {Name: "c", Port: "x"}, {Name: "d", Port: "x"},
//	}})
//	if err != nil { … }
//	defer lab.Close()
//	member, err := lab.Host("b").Join(group)         // the kernel reports it
//	packets, err := lab.Host("b").Receive(group)
//	err = lab.Host("a").Send(ctx, ovslab.Stream{To: group, Packets: 500})
//	times := packets.PerSequence()
//
// A lab leaves nothing behind. Every daemon runs under a guard, a small shell
// that holds the read end of a pipe of ours: when the pipe ends, because Close
// was called or because this process panicked, was interrupted or was killed
// with SIGKILL, the guard ends its own child, and removes the lab's directory
// if we are no longer there to do it. Namespaces have no names: the kernel
// removes them, with the interfaces in them, once we do not hold them any more
// and the guard of each has ended the programs in it.
//
// Tests use New and NewNet, which skip where a lab cannot be had.
package ovslab
