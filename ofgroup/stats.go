package ofgroup

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// GroupStats is what a switch counted for one group (OFPMP_GROUP_STATS, which OpenFlow 1.3
// calls OFPMP_GROUP; OpenFlow 1.5.1, 7.3.5.9). A counter that the switch does not keep has
// the largest value of its type.
//
// In Open vSwitch a MODIFY sets the counters of group and buckets to 0; an INSERT_BUCKET
// sets those of the group to 0 and keeps those of the buckets it had, so that the sum of
// the buckets may be more than the group's.
type GroupStats struct {
	ID       ID
	RefCount uint32 // the flows and groups that refer to the group
	Packets  uint64 // that went through the group
	Bytes    uint64

	// How long the group has been there. A switch that counts whole seconds only gives
	// a number of nanoseconds above 999,999,999.
	Seconds, Nanoseconds uint32

	Buckets []BucketStats // in the order of the group description, which has their IDs
}

// BucketStats is what a switch counted for one bucket of a group.
type BucketStats struct {
	Packets, Bytes uint64
}

// Duration is how long the group has been there, as exactly as the switch knows.
func (s GroupStats) Duration() time.Duration {
	d := time.Duration(s.Seconds) * time.Second
	if ns := time.Duration(s.Nanoseconds); ns < time.Second {
		d += ns
	}
	return d
}

var errStatsLen = fmt.Errorf("%w: statistics length", ErrMalformed)

// Offsets within an entry of the group statistics, which is the same in both versions.
const (
	offStatsID       = 4
	offStatsRefCount = 8
	offStatsPackets  = 16
	offStatsBytes    = 24
	offStatsSeconds  = 32
	offStatsNanos    = 36
)

// ParseGroupStats decodes the entries in a reply to a request for group statistics: body
// is what follows the 16 bytes of the multipart header. A reply in several parts is decoded
// part by part, as a switch cuts it only between groups. An absent group draws a reply
// without entries, not an error. The result owns its memory.
// A malformed body gives nothing, and an *Error that matches ErrMalformed.
func ParseGroupStats(v Version, body []byte) ([]GroupStats, error) {
	if err := v.check(); err != nil {
		return nil, &Error{Op: "decode", Bucket: NoBucket, Err: err}
	}
	entries, err := countStats(body)
	if err != nil || entries == 0 {
		return nil, err
	}
	all := make([]GroupStats, entries)
	for i := range all {
		n := int(binary.BigEndian.Uint16(body))
		all[i].parse(body[:n])
		body = body[n:]
	}
	return all, nil
}

// countStats walks over the lengths of the entries, so that one allocation holds them.
func countStats(b []byte) (entries int, err error) {
	for len(b) > 0 {
		if len(b) < statsEntryLen {
			return 0, &Error{Op: "decode", Bucket: NoBucket, Err: errStatsLen}
		}
		n := int(binary.BigEndian.Uint16(b))
		if n < statsEntryLen || (n-statsEntryLen)%statsBucketLen != 0 || n > len(b) {
			id := ID(binary.BigEndian.Uint32(b[offStatsID:]))
			return 0, &Error{Op: "decode", ID: id, Bucket: NoBucket, Err: errStatsLen}
		}
		entries++
		b = b[n:]
	}
	return entries, nil
}

// parse reads one entry, whose length was checked.
func (s *GroupStats) parse(e []byte) {
	*s = GroupStats{
		ID:          ID(binary.BigEndian.Uint32(e[offStatsID:])),
		RefCount:    binary.BigEndian.Uint32(e[offStatsRefCount:]),
		Packets:     binary.BigEndian.Uint64(e[offStatsPackets:]),
		Bytes:       binary.BigEndian.Uint64(e[offStatsBytes:]),
		Seconds:     binary.BigEndian.Uint32(e[offStatsSeconds:]),
		Nanoseconds: binary.BigEndian.Uint32(e[offStatsNanos:]),
	}
	e = e[statsEntryLen:]
	if len(e) == 0 {
		return
	}
	s.Buckets = make([]BucketStats, len(e)/statsBucketLen)
	for i := range s.Buckets {
		s.Buckets[i] = BucketStats{binary.BigEndian.Uint64(e), binary.BigEndian.Uint64(e[8:])}
		e = e[statsBucketLen:]
	}
}

// AppendGroupStats appends s to b as the entry that a switch puts into its reply. The error
// is an *Error: ErrVersion, or a *TooLargeError for more buckets than an entry can have.
func AppendGroupStats(b []byte, v Version, s GroupStats) ([]byte, error) {
	if err := v.check(); err != nil {
		return b, &Error{Op: "describe", ID: s.ID, Bucket: NoBucket, Err: err}
	}
	n, ok := openflow.Narrow[uint16](statsEntryLen + statsBucketLen*len(s.Buckets))
	if !ok || int(n) > maxEntry {
		const most = (maxEntry - statsEntryLen) / statsBucketLen
		err := &TooLargeError{Version: v, Buckets: len(s.Buckets), Fit: most}
		return b, &Error{Op: "describe", ID: s.ID, Bucket: NoBucket, Err: err}
	}
	b = append(binary.BigEndian.AppendUint16(b, n), 0, 0)
	b = binary.BigEndian.AppendUint32(b, uint32(s.ID))
	b = append(binary.BigEndian.AppendUint32(b, s.RefCount), 0, 0, 0, 0)
	b = binary.BigEndian.AppendUint64(b, s.Packets)
	b = binary.BigEndian.AppendUint64(b, s.Bytes)
	b = binary.BigEndian.AppendUint32(b, s.Seconds)
	b = binary.BigEndian.AppendUint32(b, s.Nanoseconds)
	for _, k := range s.Buckets {
		b = binary.BigEndian.AppendUint64(b, k.Packets)
		b = binary.BigEndian.AppendUint64(b, k.Bytes)
	}
	return b, nil
}
