package ovslab

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"time"
)

// Frame is one Ethernet frame seen on an interface.
type Frame struct {
	At   time.Time // when the kernel saw it
	Sent bool      // out of the interface, rather than received by it
	Tag            // the frame's, as it was on the wire
	Data []byte    // the whole frame, without that tag
}

// Capture collects frames until it is closed or the lab ends. It keeps the
// first 131,072. Its methods may be called from any number of goroutines.
type Capture struct{ *recorder[Frame] }

// Capture collects the frames on the switch's end of a port for which keep is
// true, those from the hosts as received and those to them as sent. keep must
// not hold on to the frame's data; nil keeps all.
func (l *NetLab) Capture(port string, keep func(Frame) bool) (*Capture, error) {
	return l.node.capture(port, keep)
}

// Capture collects the frames on the host's interface for which keep is true,
// see NetLab.Capture.
func (h *Host) Capture(keep func(Frame) bool) (*Capture, error) {
	return h.capture(hostInterface, keep)
}

func (n *Namespace) capture(name string, keep func(Frame) bool) (*Capture, error) {
	socket, err := n.openSocket(func() (*os.File, error) {
		device, err := net.InterfaceByName(name)
		if err != nil {
			return nil, err
		}
		return openCapture(device.Index)
	})
	if err != nil {
		return nil, fmt.Errorf("ovslab: capture on %s: %w", name, err)
	}
	rec, err := record(n, socket, func(e socketEvent) (Frame, bool) {
		f := Frame{At: e.at, Sent: e.sent, Tag: e.tag, Data: e.data}
		if keep != nil && !keep(f) {
			return Frame{}, false
		}
		f.Data = bytes.Clone(f.Data)
		return f, true
	})
	if err != nil {
		return nil, fmt.Errorf("ovslab: capture on %s: %w", name, err)
	}
	return &Capture{rec}, nil
}

// Inject sends Ethernet frames out of the host's interface as they are, for what
// the kernel would not send: other senders' addresses, tags, broken packets.
func (h *Host) Inject(frames ...[]byte) error {
	socket, err := h.openSocket(func() (*os.File, error) { return openCapture(h.index) })
	if err != nil {
		return fmt.Errorf("ovslab: inject: %w", err)
	}
	defer socket.Close()
	for _, f := range frames {
		if _, err := socket.Write(f); err != nil {
			return fmt.Errorf("ovslab: inject: %w", err)
		}
	}
	return nil
}

// Frames returns what was seen so far, in that order. The data are shared with
// other callers.
func (c *Capture) Frames() []Frame { return c.recorded() }

// Await returns the frames as soon as they are enough, or, with an error, when
// ctx has ended or the capture is closed.
func (c *Capture) Await(ctx context.Context, enough func([]Frame) bool) ([]Frame, error) {
	return c.await(ctx, enough)
}
