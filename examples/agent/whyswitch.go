package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/term"
	"github.com/ofmcast/ofmcast/examples/agent/view"
	"github.com/ofmcast/ofmcast/examples/agent/why"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// openSwitch opens a connection of its own, which asks for no role and changes nothing.
func openSwitch(ctx context.Context, address string) (*ofconn.Session, error) {
	return ofconn.Open(ctx, ofconn.Config{
		Dial: func(ctx context.Context) (net.Conn, error) { return dial(ctx, address) },
	})
}

// readSwitch reads what the switch itself has: a group of the sink's, the flow that leads there, and a
// port's bucket.
func readSwitch(ctx context.Context, address string, group, port uint32) (on why.OnSwitch, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	s, err := openSwitch(ctx, address)
	if err != nil {
		return on, err
	}
	defer func() { _ = s.Close() }()
	flows, err := s.FlowStats(ctx, ofconn.FlowFilter{Table: tableGroups, Cookie: cookie | uint64(group), CookieMask: ^uint64(0)})
	if err != nil {
		return on, err
	}
	for _, f := range flows {
		on.Flow = true
		on.FlowPackets += f.Packets
	}
	return on, readBucket(ctx, s, &on, ofgroup.ID(group), ofgroup.BucketID(port))
}

// readBucket reads a bucket, whose number is that of its port.
func readBucket(ctx context.Context, s *ofconn.Session, on *why.OnSwitch, id ofgroup.ID, port ofgroup.BucketID) error {
	g, there, err := s.GroupDesc(ctx, id)
	if err != nil || !there {
		return err
	}
	stats, err := s.GroupStats(ctx, id)
	if err != nil {
		return err
	}
	on.Group = true
	i := 0
	for b := range g.Buckets() {
		if n, ok := b.ID(); ok && n == port {
			on.Bucket = true
			if len(stats) == 1 && i < len(stats[0].Buckets) {
				on.Packets = stats[0].Buckets[i].Packets
			}
		}
		i++
	}
	return nil
}

// printTrace has the switch say what becomes of a packet, as if it came in by the first port that can
// send. Where that cannot be done it says why.
func printTrace(ctx context.Context, out io.Writer, openflow, target string, s view.State, q why.Question) {
	packet, ok := tracedPacket(s, q)
	if !ok {
		printStep(out, false, "no trace: it needs a SOURCE, VLAN 0, and another port that the packet can come from")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "ovs-appctl", "-t", target, "ofproto/trace", s.Bridge, packet)
	cmd.Env = os.Environ()
	if path, ok := strings.CutPrefix(openflow, "unix:"); ok { // a named target's control socket is beside it
		cmd.Env = append(cmd.Env, "OVS_RUNDIR="+filepath.Dir(path))
	}
	text, err := cmd.CombinedOutput()
	if err != nil {
		printStep(out, false, fmt.Sprintf("no trace: %v %s", err, text))
		return
	}
	for line := range strings.Lines(string(text)) {
		fmt.Fprintln(out, "   "+term.Safe(strings.TrimRight(line, "\n")))
	}
}

// tracedPacket is a packet of the stream in the words of ovs-appctl.
func tracedPacket(s view.State, q why.Question) (string, bool) {
	if !q.Source.IsValid() || q.VLAN != 0 {
		return "", false
	}
	for _, p := range s.Ports {
		if p.Name == q.Port || fmt.Sprint(p.Number) == q.Port || (p.Role != "member" && p.Role != "gateway") || p.VLANs != "" {
			continue
		}
		g := q.Group.As4()
		mac := fmt.Sprintf("01:00:5e:%02x:%02x:%02x", g[1]&0x7f, g[2], g[3]) // RFC 1112 6.4
		return fmt.Sprintf("in_port=%d,udp,dl_dst=%s,nw_src=%v,nw_dst=%v,nw_ttl=16", p.Number, mac, q.Source, q.Group), true
	}
	return "", false
}
