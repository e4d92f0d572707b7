package ofconn

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// FlowFilter says which flows are meant.
type FlowFilter struct {
	Table uint8         // AllTables is every table
	Match ofgroup.Match // all flows at least as narrow

	// Cookie is what a flow must have in the bits of CookieMask.
	Cookie, CookieMask uint64
}

// FlowStats is one flow of the switch and what it counted (OpenFlow 1.5.1, 7.3.5.2; of
// 1.3.5, 7.3.5.2). It owns its memory, which flows of one answer share. Counters that the
// switch does not keep are NotCounted.
type FlowStats struct {
	Table                    uint8
	Priority                 uint16
	Cookie                   uint64
	IdleTimeout, HardTimeout uint16 // in seconds, 0 is never
	Flags                    FlowFlags

	Age            time.Duration // since the flow was added
	Packets, Bytes uint64

	// Match is the flow's match, which ofgroup.ParseMatch decodes, and Instructions what
	// is done with its packets, as they stand in a FlowMod of the version; see Does.
	Match, Instructions []byte
}

// Does reports whether the flow does just these actions at once, as a FlowMod in version v says it, and
// nothing else. Actions that the switch describes in other words than ours count as others.
func (f *FlowStats) Does(v ofgroup.Version, actions ...ofgroup.Action) bool {
	enc, err := appendInstructions(nil, v, actions)
	return err == nil && bytes.Equal(enc, f.Instructions)
}

// NotCounted stands for a counter that the switch does not keep.
const NotCounted = ^uint64(0)

// FlowTotals is what the switch counted for several flows together.
type FlowTotals struct {
	Packets, Bytes uint64
	Flows          uint32
}

// flowRequest is the request for the statistics of flows, each's or all together.
type flowRequest struct {
	kind   uint16
	filter FlowFilter
}

// AppendMessage appends the message, which both versions have; see Message.
func (m flowRequest) AppendMessage(b []byte, v ofgroup.Version) ([]byte, error) {
	return appendMessage(b, v, openflow.TypeMultipartRequest, func(b []byte) ([]byte, error) {
		b = binary.BigEndian.AppendUint16(b, m.kind)
		b = append(appendZeros(b, 6), m.filter.Table) // flags and padding
		b = binary.BigEndian.AppendUint32(appendZeros(b, 3), uint32(ofgroup.PortAny))
		b = binary.BigEndian.AppendUint32(b, uint32(ofgroup.AnyGroup))
		b = binary.BigEndian.AppendUint64(appendZeros(b, 4), m.filter.Cookie&m.filter.CookieMask)
		b = binary.BigEndian.AppendUint64(b, m.filter.CookieMask)
		b, err := m.filter.Match.AppendBinary(b)
		if err != nil {
			return nil, fmt.Errorf("ofconn: flow stats: match: %w", err)
		}
		return b, nil
	})
}

// FlowStats reads the flows that f means, in no order.
func (s *Session) FlowStats(ctx context.Context, f FlowFilter) ([]FlowStats, error) {
	body, err := s.ask(ctx, "flow stats", openflow.MultipartFlow, flowRequest{openflow.MultipartFlow, f})
	if err != nil {
		return nil, err
	}
	return ParseFlowStats(s.version, body)
}

// FlowTotals reads what all the flows that f means have counted together.
func (s *Session) FlowTotals(ctx context.Context, f FlowFilter) (FlowTotals, error) {
	body, err := s.ask(ctx, "flow totals", openflow.MultipartAggregate, flowRequest{openflow.MultipartAggregate, f})
	if err != nil {
		return FlowTotals{}, err
	}
	return ParseFlowTotals(s.version, body)
}

// FlowStats is Session.FlowStats.
func (c *Conn) FlowStats(ctx context.Context, f FlowFilter) ([]FlowStats, error) {
	return onSession(c, func(s *Session) ([]FlowStats, error) { return s.FlowStats(ctx, f) })
}

// FlowTotals is Session.FlowTotals.
func (c *Conn) FlowTotals(ctx context.Context, f FlowFilter) (FlowTotals, error) {
	return onSession(c, func(s *Session) (FlowTotals, error) { return s.FlowTotals(ctx, f) })
}
