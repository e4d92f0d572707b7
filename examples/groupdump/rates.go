package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// since is the time from before to s, 0 if there was nothing before.
func (s *snapshot) since(before *snapshot) time.Duration {
	if before == nil {
		return 0
	}
	return s.at.Sub(before.at)
}

// group is the group of this number, if there was one.
func (s *snapshot) group(id ofgroup.ID) (entry, bool) {
	if s == nil {
		return entry{}, false
	}
	i, ok := slices.BinarySearchFunc(s.entries, id, func(e entry, id ofgroup.ID) int { return cmp.Compare(e.stats.ID, id) })
	if !ok {
		return entry{}, false
	}
	return s.entries[i], true
}

// bucket is what was counted for the bucket of this number, which is at position i unless others came
// or went; false if that is not known.
func (e entry) bucket(id ofgroup.BucketID, i int) (ofgroup.BucketStats, bool) {
	if len(e.stats.Buckets) != e.group.Len() {
		return ofgroup.BucketStats{}, false
	}
	if i < e.group.Len() && idOf(e.group.Bucket(i)) == id {
		return e.stats.Buckets[i], true
	}
	for k := range e.group.Len() {
		if idOf(e.group.Bucket(k)) == id {
			return e.stats.Buckets[k], true
		}
	}
	return ofgroup.BucketStats{}, false
}

func idOf(b ofgroup.Bucket) ofgroup.BucketID {
	id, _ := b.ID() // all have one, in OpenFlow 1.5
	return id
}

// rateCells are packets and bytes a second: nothing the first time, and "reset" where the switch has
// begun to count anew, as it does when a group is modified.
func rateCells(now, was ofgroup.BucketStats, known bool, elapsed time.Duration) []string {
	switch {
	case !known || elapsed <= 0:
		return []string{"", ""}
	case now.Packets < was.Packets || now.Bytes < was.Bytes:
		return []string{"reset", "reset"}
	}
	return []string{
		rate(now.Packets-was.Packets, elapsed), rate(now.Bytes-was.Bytes, elapsed),
	}
}

// rate is a number a second, with a decimal where that is not nothing.
func rate(n uint64, elapsed time.Duration) string {
	r := float64(n) / elapsed.Seconds()
	switch {
	case n == 0 || r >= 10:
	case r < 0.05:
		return "<0.1"
	default:
		return strconv.FormatFloat(r, 'f', 1, 64)
	}
	return number(uint64(math.Round(r)))
}

// number is n in groups of three digits.
func number(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// age is a duration by its two largest units.
func age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= day:
		return fmt.Sprintf("%dd%dh", d/day, d%day/time.Hour)
	case d >= time.Hour:
		return fmt.Sprintf("%dh%dm", d/time.Hour, d%time.Hour/time.Minute)
	case d >= time.Minute:
		return fmt.Sprintf("%dm%ds", d/time.Minute, d%time.Minute/time.Second)
	default:
		return fmt.Sprintf("%ds", d/time.Second)
	}
}
