package ofgroup

import (
	"fmt"
	"strconv"
	"strings"
)

// String is the statistics as ovs-ofctl dump-group-stats prints them, in one line.
func (s GroupStats) String() string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "group_id=%v,duration=%s,ref_count=%d,packet_count=%d,byte_count=%d",
		s.ID, s.durationText(), s.RefCount, s.Packets, s.Bytes)
	for i, k := range s.Buckets {
		fmt.Fprintf(&sb, ",bucket%d:packet_count=%d,byte_count=%d", i, k.Packets, k.Bytes)
	}
	return sb.String()
}

// durationText is seconds with three decimals if these say it all, up to nine if not, and
// none if there is no fraction.
func (s GroupStats) durationText() string {
	text := strconv.FormatUint(uint64(s.Seconds), 10)
	const second, millisecond = 1_000_000_000, 1_000_000
	switch ns := s.Nanoseconds; {
	case ns == 0 || ns >= second:
	case ns%millisecond == 0:
		text += fmt.Sprintf(".%03d", ns/millisecond)
	default:
		text += strings.TrimRight(fmt.Sprintf(".%09d", ns), "0")
	}
	return text + "s"
}
