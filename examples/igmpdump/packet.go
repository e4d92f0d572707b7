package main

import (
	"net/netip"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
)

// packet is one line of the output. Its JSON form has the keys that apply, in this order; the text
// of -help says when each does.
type packet struct {
	N           int          `json:"n"`
	Time        string       `json:"time"`
	VLANs       []int        `json:"vlans,omitempty"`
	EthSrc      string       `json:"eth_src,omitempty"`
	Src         netip.Addr   `json:"src,omitzero"`
	Dst         netip.Addr   `json:"dst,omitzero"`
	TTL         *int         `json:"ttl,omitempty"`
	RouterAlert *bool        `json:"router_alert,omitempty"`
	Type        string       `json:"type,omitempty"`
	Version     int          `json:"version,omitempty"`
	MaxResp     *int64       `json:"max_resp_ms,omitempty"`
	Group       netip.Addr   `json:"group,omitzero"`
	S           *bool        `json:"s_flag,omitempty"`
	QRV         *int         `json:"qrv,omitempty"`
	QQI         *int64       `json:"qqi_s,omitempty"`
	Sources     []netip.Addr `json:"sources,omitzero"`
	Records     []record     `json:"records,omitzero"`
	ChecksumOK  *bool        `json:"checksum_ok,omitempty"`
	Error       string       `json:"error,omitempty"`

	at      time.Time
	message igmp.Type // which one, where Type is "other"
	unread  bool      // of a link type that is not known
}

// record is one group record of a version 3 report. All of its keys are always there.
type record struct {
	Type     string       `json:"type"`
	Group    netip.Addr   `json:"group"`
	Sources  []netip.Addr `json:"sources"`
	AuxWords int          `json:"aux_words"`
}

// typeName says what a message is.
func typeName(t igmp.Type) string {
	switch t {
	case igmp.TypeQuery:
		return "query"
	case igmp.TypeReportV1:
		return "report-v1"
	case igmp.TypeReportV2:
		return "report-v2"
	case igmp.TypeLeave:
		return "leave"
	case igmp.TypeReportV3:
		return "report-v3"
	}
	return "other"
}

// timeFormat is RFC 3339 to the microsecond. A time of finer resolution is written to the nanosecond.
func timeFormat(t time.Time) string {
	format := "2006-01-02T15:04:05.000000Z07:00"
	if t.Nanosecond()%int(time.Microsecond) != 0 {
		format = "2006-01-02T15:04:05.000000000Z07:00"
	}
	return t.UTC().Format(format)
}
