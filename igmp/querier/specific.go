package querier

import (
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
)

// Specific returns the frames of one query for a group, or for sources of a group: one transmission, in several frames
// if the sources do not fit the MTU. suppress is the S flag (RFC 9776 4.1.5). maxResp is the time to answer; 0 means
// LMQI. Version 2 asks for the group whatever the sources, and has no S flag. The frames may be written to, and are
// valid until the next call of Advance or Specific; nothing is kept of sources. General queries keep their rhythm.
//
// The error is an *Error around ErrNotQuerier, ErrNoSpecific, igmp.ErrDestination for what is no multicast group, or
// what igmp says of sources and maxResp. There are no frames then.
func (q *Querier) Specific(group netip.Addr, sources []netip.Addr, suppress bool, maxResp time.Duration) ([][]byte, error) {
	q.frames, q.buf = q.frames[:0], q.buf[:0]
	if err := q.specific(group, sources, suppress, maxResp); err != nil {
		q.counters.SpecificRefused++
		return nil, &Error{Op: opSpecific, Where: group.String(), Err: err}
	}
	q.counters.SpecificQueries += uint64(len(q.frames))
	return q.frames, nil
}

func (q *Querier) specific(group netip.Addr, sources []netip.Addr, suppress bool, maxResp time.Duration) error {
	version := q.cfg.newest()
	group = group.Unmap()
	switch {
	case !q.leading():
		return ErrNotQuerier
	case version == 1:
		return ErrNoSpecific
	case !group.Is4() || !group.IsMulticast(): // 0.0.0.0 would be a general query
		return igmp.ErrDestination
	case maxResp == 0:
		maxResp = q.cfg.LMQI
	}
	if version == 2 {
		sources = nil
	}
	q.query = q.cfg.ofOurs(version)
	q.query.Group, q.query.Sources, q.query.SuppressRouter, q.query.MaxResp = group, sources, suppress, maxResp
	defer func() { q.query.Sources = nil }()
	if len(sources) == 0 {
		return q.append(&q.query)
	}
	for part := range igmp.SplitQuery(&q.query, q.cfg.MTU) {
		if err := q.append(part); err != nil {
			return err
		}
	}
	return nil
}
