// Package ovsdb reads and changes the settings of an Open vSwitch bridge: the
// few calls that a multicast agent needs, small enough to copy, on the standard
// library alone.
//
//	c, err := ovsdb.Dial(ctx, "unix:/var/run/openvswitch/db.sock")
//	…
//	defer c.Close()
//	br, err := c.Bridge(ctx, "br0") // fail mode, VLANs of the ports, OpenFlow port numbers
//	before, err := c.SetSnooping(ctx, "br0", ovsdb.SnoopingState{Enabled: true, DisableFloodUnregistered: "true"})
//	…
//	_, err = c.SetSnooping(ctx, "br0", before)
//
//	err = c.Watch(ctx)
//	for c.AwaitChange(ctx) == nil { // settings may have changed: c.Bridge again
//		…
//	}
//
// Open vSwitch keeps its configuration in a database, whose server speaks JSON
// over a socket (RFC 7047). What is written there the switch takes over a
// little later; SetSnooping waits for it by the two counters that ovs-vsctl
// uses: the writer adds 1 to next_cfg, and the switch copies the number to
// cur_cfg once it works by that configuration.
//
// A Client may be used by any number of goroutines: their calls share the
// connection and do not wait for one another. A call ends with its context, and
// under a context without a deadline after ten seconds. A change whose call
// ended that way may have been made, or still be made.
//
// The server is not trusted: what is no OVSDB, or has more than 16 MiB, is
// ErrMalformed. A broken connection is not made again: every call then returns
// the same error, which wraps ErrConnLost, and the user dials again.
package ovsdb
