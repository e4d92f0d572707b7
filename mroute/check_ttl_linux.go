package mroute

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/mdlayher/packet"
	"golang.org/x/net/bpf"
)

// maxTTLFlows bounds what hostile senders can make Check collect at one interface.
const maxTTLFlows = 64

// lookTTL watches the inputs for a while.
func (o *observations) lookTTL(ctx context.Context, cfg CheckConfig) error {
	if cfg.Listen <= 0 {
		return nil
	}
	listeners, err := listenTTL(cfg.Inputs, time.Now().Add(cfg.Listen))
	stop := context.AfterFunc(ctx, func() {
		for _, l := range listeners {
			_ = l.conn.SetReadDeadline(time.Unix(1, 0))
		}
	})
	defer stop()
	found := make([][]Flow, len(listeners))
	var readers sync.WaitGroup
	for n, l := range listeners {
		readers.Go(func() { found[n] = l.collect() })
	}
	readers.Wait()
	o.ttl1 = slices.Concat(found...)
	for _, l := range listeners {
		err = errors.Join(err, l.conn.Close())
	}
	return errors.Join(err, ctx.Err())
}

// ttlListener hears packets at an interface that have come to their last hop.
type ttlListener struct {
	name string
	conn *packet.Conn
}

// listenTTL listens at the interfaces that exist.
func listenTTL(names []string, until time.Time) (out []ttlListener, err error) {
	program, err := bpf.Assemble(lastHop)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		i, err := net.InterfaceByName(name)
		if err != nil {
			continue // it is a finding of its own
		}
		c, err := packet.Listen(i, packet.Datagram, syscall.ETH_P_IP, &packet.Config{Filter: program})
		if err != nil {
			return out, err
		}
		out = append(out, ttlListener{name, c})
		if err := errors.Join(allMulticast(c, i.Index), c.SetReadDeadline(until)); err != nil {
			return out, err
		}
	}
	return out, nil
}

// allMulticast makes the interface take in groups that nobody joined.
func allMulticast(c *packet.Conn, index int) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	mreq := make([]byte, packetMreqLen)
	binary.NativeEndian.PutUint32(mreq, uint32(index))
	binary.NativeEndian.PutUint16(mreq[4:], syscall.PACKET_MR_ALLMULTI)
	var refused error
	err = raw.Control(func(fd uintptr) {
		refused = syscall.SetsockoptString(int(fd), syscall.SOL_PACKET, syscall.PACKET_ADD_MEMBERSHIP, string(mreq))
	})
	return errors.Join(err, os.NewSyscallError("PACKET_ADD_MEMBERSHIP", refused))
}

// packetMreqLen is the size of struct packet_mreq: int interface index, u16 type, then an address that is not used.
const packetMreqLen = 16

// Where things are in an IPv4 header.
const (
	offTTL   = 8
	offUpper = 9
)

// lastHop lets headers pass that have TTL 1 and a group that could be routed, but for IGMP, which always has it.
var lastHop = []bpf.Instruction{
	bpf.LoadAbsolute{Off: offTTL, Size: 1},
	bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 1, SkipTrue: 6},
	bpf.LoadAbsolute{Off: offUpper, Size: 1},
	bpf.JumpIf{Cond: bpf.JumpEqual, Val: protoIGMP, SkipTrue: 4},
	bpf.LoadAbsolute{Off: offGroup, Size: 4},
	bpf.JumpIf{Cond: bpf.JumpLessThan, Val: 0xe0000100, SkipTrue: 2}, // 224.0.1.0
	bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: 0xefffffff, SkipTrue: 1},
	bpf.RetConstant{Val: headerLen},
	bpf.RetConstant{Val: 0},
}

// collect returns the streams that come until the deadline, each once.
func (l ttlListener) collect() (out []Flow) {
	b := make([]byte, headerLen)
	for len(out) < maxTTLFlows {
		n, _, err := l.conn.ReadFrom(b)
		if errors.Is(err, syscall.ENETDOWN) {
			continue // said once; the deadline still stands
		}
		if err != nil {
			return out
		}
		if n < headerLen {
			continue
		}
		f := Flow{
			Source: addrAt(b, offSource),
			Group:  addrAt(b, offGroup),
			In:     l.name,
		}
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}
