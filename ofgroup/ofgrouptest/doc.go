// Package ofgrouptest helps to test code that uses package ofgroup, without Open vSwitch, without root and
// without a network.
//
// A [Recorder] is an ofgroup.Sender that keeps what it is given and confirms it: enough to see which messages a
// program makes.
//
//	rec := ofgrouptest.NewRecorder(ofgroup.OpenFlow15)
//	_, err := g.Commit(ctx, rec)
//	m := rec.RequireOne(t) // the one GROUP_MOD
//
// A [Switch] is an OpenFlow 1.5 switch within the process, over a net.Conn: for programs with a connection of
// package ofconn. It keeps groups, flows, meters and ports by rules of its own, written from what Open vSwitch
// answered and not from package ofgroup, and so refuses what that refuses. It can be told to be late, to refuse, to
// cut the connection and to start again empty.
//
//	sw := ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
//	defer sw.Close()
//	conn := ofconn.New(ofconn.Config{Dial: sw.Dial})
//
// [Noise] is a bad network between a controller and any switch, a real one too.
package ofgrouptest
