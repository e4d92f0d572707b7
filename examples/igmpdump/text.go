package main

import (
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
)

// text writes a packet in one line: number, time, addresses, what it says, and in brackets what is
// unusual about it.
type text struct {
	out   io.Writer
	clock bool // the time of day instead of seconds since the first packet
	whole bool // lists in full

	first time.Time
}

func (t *text) write(p *packet) error {
	if t.first.IsZero() {
		t.first = p.at
	}
	when := fmt.Sprintf("%11.6f", p.at.Sub(t.first).Seconds())
	if t.clock {
		when = p.at.Format("15:04:05.000000")
	}
	line := fmt.Sprintf("%6d %s  %-15s > %-15s  %s", p.N, when, addr(p.Src, p.EthSrc), addr(p.Dst, ""), t.says(p))
	line = strings.TrimRight(line, " ") // of a message of which nothing is known
	for _, r := range remarks(p) {
		line += "  [" + r + "]"
	}
	_, err := fmt.Fprintln(t.out, line)
	return err
}

// addr is an address, or what there is instead.
func addr(a netip.Addr, instead string) string {
	switch {
	case a.IsValid():
		return a.String()
	case instead == "":
		return "?"
	}
	return instead
}

// says is the message in words.
func (t *text) says(p *packet) string {
	if p.Type == "" {
		return ""
	}
	switch p.message {
	case igmp.TypeQuery:
		return t.query(p)
	case igmp.TypeReportV3:
		words := make([]string, len(p.Records))
		for i, r := range p.Records {
			words[i] = r.Group.String() + " " + short(r) + braces(r.Sources, t.most())
		}
		return strings.TrimRight("report v3  "+list(words, ", ", t.most()), " ")
	case igmp.TypeReportV1, igmp.TypeReportV2:
		return fmt.Sprintf("report v%d  %s", p.Version, addr(p.Group, ""))
	case igmp.TypeLeave:
		return "leave  " + addr(p.Group, "")
	}
	return p.message.String()
}

func (t *text) query(p *packet) string {
	s := "query"
	if p.Version > 0 {
		s += fmt.Sprintf(" v%d", p.Version)
	}
	if p.Group.IsUnspecified() {
		s += "  general"
	} else {
		s += "  " + addr(p.Group, "")
	}
	if len(p.Sources) > 0 {
		s += " " + braces(p.Sources, t.most())
	}
	if p.MaxResp != nil {
		s += fmt.Sprintf(", answer in %v", time.Duration(*p.MaxResp)*time.Millisecond)
	}
	if p.QQI != nil {
		s += fmt.Sprintf(", every %v, robustness %d", time.Duration(*p.QQI)*time.Second, *p.QRV)
	}
	if p.S != nil && *p.S {
		s += ", S"
	}
	return s
}

// short is the record's type as tables have it: TO_EX for CHANGE_TO_EXCLUDE_MODE.
func short(r record) string {
	for t := igmp.IsIn; t.Known(); t++ {
		if recordName(t) == r.Type {
			return t.String()
		}
	}
	return r.Type
}

// most is how many items of a list are shown.
func (t *text) most() int {
	if t.whole {
		return maxItems
	}
	return 8
}

const maxItems = 1 << 16 // more than a packet has

func braces(sources []netip.Addr, most int) string {
	words := make([]string, len(sources))
	for i, s := range sources {
		words[i] = s.String()
	}
	return "{" + list(words, " ", most) + "}"
}

// list joins words; those that are too many are only counted.
func list(words []string, separator string, most int) string {
	if len(words) <= most {
		return strings.Join(words, separator)
	}
	return fmt.Sprintf("%s%s… %d more", strings.Join(words[:most], separator), separator, len(words)-most)
}

// remarks are what a look at the line should not miss.
func remarks(p *packet) []string {
	var r []string
	if len(p.VLANs) > 0 {
		r = append(r, "VLAN "+strings.Trim(fmt.Sprint(p.VLANs), "[]"))
	}
	if p.Type != "" && p.TTL != nil && *p.TTL != 1 {
		r = append(r, fmt.Sprint("TTL ", *p.TTL))
	}
	if p.Version >= 2 && p.RouterAlert != nil && !*p.RouterAlert {
		r = append(r, "no Router Alert")
	}
	if p.ChecksumOK != nil && !*p.ChecksumOK {
		r = append(r, "checksum wrong")
	}
	if p.Error != "" {
		r = append(r, p.Error)
	}
	return r
}
