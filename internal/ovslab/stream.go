package ovslab

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"time"
)

// streamPort is the UDP port of all streams.
const streamPort = 5000

// Stream is a number of UDP packets that a host sends. To and Packets must be
// set.
type Stream struct {
	// To is an IPv4 address, as a rule a group's.
	To netip.Addr
	// Packets is how many are sent, at most 100,000.
	Packets int
	// Rate is how many are sent a second, default 1,000, at most 20,000.
	Rate int
	// ID tells streams to the same address apart.
	ID uint32
	// TTL is the packets' time to live, default 8; with 1, the kernel's own
	// default for multicast, no router forwards them.
	TTL int
	// VLAN, if not 0, is that of the tag that the packets are sent with, past the
	// host's own network stack; its own receivers would not see such packets. The
	// rest of the tag is 0.
	VLAN uint16
	// PriorityTag sends the packets with a tag of VLAN 0 instead, as hosts do that
	// have a priority to tell and no VLAN.
	PriorityTag bool
}

func (s Stream) tagged() bool { return s.VLAN != 0 || s.PriorityTag }

// Limits of a stream.
const (
	maxStreamPackets = 100_000
	maxStreamRate    = 20_000
)

// Send sends a stream from the host, and returns when the last packet is sent or
// ctx has ended. The packets carry the sequence numbers 0, 1, 2, … and are not
// looped back to the sender's own sockets. Late packets are sent at once, so
// that the rate is right on average.
func (h *Host) Send(ctx context.Context, s Stream) error {
	if s.Rate == 0 {
		s.Rate = 1000
	}
	if s.TTL == 0 {
		s.TTL = 8
	}
	if !s.To.Is4() || s.Packets < 1 || s.Packets > maxStreamPackets || s.Rate < 1 || s.Rate > maxStreamRate || s.TTL < 1 || s.TTL > 255 || s.VLAN > 4095 || s.tagged() && !s.To.IsMulticast() {
		return fmt.Errorf("%w: %+v", ErrConfig, s)
	}
	conn, err := h.openStream(s)
	if err != nil {
		return fmt.Errorf("ovslab: send: %w", err)
	}
	defer conn.Close()
	timer := time.NewTimer(0)
	defer timer.Stop()
	begin := time.Now()
	for i := range s.Packets {
		timer.Reset(time.Until(begin.Add(time.Duration(i) * time.Second / time.Duration(s.Rate))))
		select {
		case <-timer.C:
		case <-ctx.Done():
			return fmt.Errorf("ovslab: sent %d of %d: %w", i, s.Packets, ctx.Err())
		}
		if _, err := conn.Write(appendPacket(nil, s.ID, uint32(i), time.Now())); err != nil {
			return fmt.Errorf("ovslab: sent %d of %d: %w", i, s.Packets, err)
		}
	}
	return nil
}

// openStream opens what the packets of a stream are written to.
func (h *Host) openStream(s Stream) (io.WriteCloser, error) {
	if s.tagged() {
		return h.openTagged(s)
	}
	socket, err := h.openSocket(func() (*os.File, error) { return openSender(h.index, h.Addr(), s.TTL) })
	if err != nil {
		return nil, err
	}
	conn, err := net.FilePacketConn(socket) // has a copy of its own
	to := net.UDPAddrFromAddrPort(netip.AddrPortFrom(s.To, streamPort))
	return datagrams{conn, to}, errors.Join(err, socket.Close())
}

// datagrams writes to one address from a socket that is not connected: such a
// one does not hear that a host has no receiver.
type datagrams struct {
	net.PacketConn
	to net.Addr
}

func (d datagrams) Write(b []byte) (int, error) { return d.WriteTo(b, d.to) }

// A stream's packet: magic, stream's ID, sequence number, sending time in
// nanoseconds since 1970.
const (
	streamMagic  = 0x6f666d63
	streamLength = 20
)

func appendPacket(b []byte, id, seq uint32, at time.Time) []byte {
	b = binary.BigEndian.AppendUint32(b, streamMagic)
	b = binary.BigEndian.AppendUint32(b, id)
	b = binary.BigEndian.AppendUint32(b, seq)
	return binary.BigEndian.AppendUint64(b, uint64(at.UnixNano()))
}

// parsePacket is false for what is no packet of a stream.
func parsePacket(b []byte) (id, seq uint32, at time.Time, ok bool) {
	if len(b) != streamLength || binary.BigEndian.Uint32(b) != streamMagic {
		return 0, 0, time.Time{}, false
	}
	return binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:]),
		time.Unix(0, int64(binary.BigEndian.Uint64(b[12:]))), true
}
