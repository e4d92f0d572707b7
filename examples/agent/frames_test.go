//go:build linux

package main

import (
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// query decodes a frame if it is an IGMP query.
func query(frame []byte) (igmp.View, bool) {
	var d igmp.Decoder
	v, err := d.Frame(frame)
	return *v, err == nil && v.Type == igmp.TypeQuery
}

func isQueryFrom(src netip.Addr) func(ovslab.Frame) bool {
	return func(f ovslab.Frame) bool {
		v, ok := query(f.Data)
		return ok && v.Src == src
	}
}

func isGeneralQuery(f ovslab.Frame) bool {
	v, ok := query(f.Data)
	return ok && v.Group.IsUnspecified()
}

func isIGMPFromHost(f ovslab.Frame) bool {
	var d igmp.Decoder
	_, err := d.Frame(f.Data)
	return f.Sent && err == nil
}

func igmpType(frame []byte) igmp.Type {
	var d igmp.Decoder
	v, err := d.Frame(frame)
	if err != nil {
		return 0
	}
	return v.Type
}

// forgedQuery is a general query with which a tenant would like to become querier: in version 2, so
// that hosts fall back, and from a low address.
func forgedQuery(t *testing.T, h *ovslab.Host) []byte {
	mac, err := net.ParseMAC(h.MAC())
	require.NoError(t, err)
	frame, err := igmp.AppendFrame(nil, igmp.Header{EthSrc: igmp.MAC(mac), Src: h.Addr()},
		&igmp.Query{Version: 2, Group: netip.IPv4Unspecified(), MaxResp: time.Second})
	require.NoError(t, err)
	return frame
}

func atLeast(n int) func([]ovslab.Frame) bool {
	return func(frames []ovslab.Frame) bool { return len(frames) >= n }
}

// isStreamTo tells the packets of a stream from IGMP to the same address.
func isStreamTo(g netip.Addr) func(ovslab.Frame) bool {
	return func(f ovslab.Frame) bool {
		var d igmp.Decoder
		v, err := d.Frame(f.Data)
		return errors.Is(err, igmp.ErrNotIGMP) && v.Dst == g
	}
}
