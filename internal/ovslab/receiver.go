package ovslab

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"time"
)

// Arrival is one packet of a Stream that reached a host.
type Arrival struct {
	From netip.Addr // the sender
	ID   uint32     // the stream's
	Seq  uint32     // 0, 1, 2, … in the order of sending
	Tag             // of its frame, where the Receiver is a Tap's
	Sent time.Time  // by the sender's clock, which is ours
	At   time.Time  // when the kernel received it
}

// Receiver collects the packets of streams to one address that reach a host,
// until it is closed or the lab ends. It keeps the first 131,072. Its methods
// may be called from any number of goroutines.
type Receiver struct{ *recorder[Arrival] }

// Receive collects what a program on the host would be given: packets to an
// IPv4 address of the host or to a group that the host is a member of. It does
// not join; see Join.
func (h *Host) Receive(to netip.Addr) (*Receiver, error) {
	return h.receive(func() (*os.File, error) { return openReceiver(netip.AddrPortFrom(to, streamPort)) },
		func(e socketEvent) (Arrival, bool) { return arrival(e, e.from, e.data) })
}

// Tap collects what reaches the host's interface for an IPv4 address, whether
// any program of the host wants it or not, and whatever VLAN its tag says.
func (h *Host) Tap(to netip.Addr) (*Receiver, error) {
	return h.receive(func() (*os.File, error) { return openCapture(h.index) },
		func(e socketEvent) (Arrival, bool) {
			from, dst, payload, ok := streamFrame(e.data)
			if !ok || e.sent || dst != to {
				return Arrival{}, false
			}
			return arrival(e, from, payload)
		})
}

func (h *Host) receive(open func() (*os.File, error), keep func(socketEvent) (Arrival, bool)) (*Receiver, error) {
	socket, err := h.openSocket(open)
	if err != nil {
		return nil, fmt.Errorf("ovslab: receive: %w", err)
	}
	rec, err := record(h.Namespace, socket, keep)
	if err != nil {
		return nil, fmt.Errorf("ovslab: receive: %w", err)
	}
	return &Receiver{rec}, nil
}

// Arrivals returns what has arrived so far, in that order.
func (r *Receiver) Arrivals() []Arrival { return r.recorded() }

// Await returns as soon as n packets have arrived, duplicates counted, with all
// that have; or, with an error, when ctx has ended or the receiver is closed.
func (r *Receiver) Await(ctx context.Context, n int) ([]Arrival, error) {
	return r.await(ctx, func(got []Arrival) bool { return len(got) >= n })
}

// PerSequence returns how often each sequence number has arrived.
func (r *Receiver) PerSequence() map[uint32]int {
	times := map[uint32]int{}
	for _, a := range r.Arrivals() {
		times[a.Seq]++
	}
	return times
}

func arrival(e socketEvent, from netip.Addr, payload []byte) (Arrival, bool) {
	id, seq, sent, ok := parsePacket(payload)
	return Arrival{From: from, ID: id, Seq: seq, Tag: e.tag, Sent: sent, At: e.at}, ok
}

// streamFrame takes an Ethernet frame with an unfragmented IPv4 datagram to the
// streams' port apart; anything else is not ok.
func streamFrame(frame []byte) (src, dst netip.Addr, payload []byte, ok bool) {
	const ethernet, shortest, udp = 14, 20, 8
	if len(frame) < ethernet+shortest || binary.BigEndian.Uint16(frame[12:]) != 0x0800 {
		return src, dst, nil, false
	}
	ip := frame[ethernet:]
	header, total := int(ip[0]&0x0f)*4, int(binary.BigEndian.Uint16(ip[2:]))
	fragment := binary.BigEndian.Uint16(ip[6:]) & 0x3fff // more to come, or not the first
	if ip[0]>>4 != 4 || header < shortest || total > len(ip) || total < header+udp || ip[9] != 17 || fragment != 0 {
		return src, dst, nil, false
	}
	datagram := ip[header:total]
	if binary.BigEndian.Uint16(datagram[2:]) != streamPort {
		return src, dst, nil, false
	}
	return netip.AddrFrom4([4]byte(ip[12:16])), netip.AddrFrom4([4]byte(ip[16:20])), datagram[udp:], true
}
