package main

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
)

// fill takes over a message that package igmp could read to its end.
func (p *packet) fill(v *igmp.View) {
	p.setType(v.Type)
	p.Version = int(v.Version)
	p.Group = v.Group
	if v.Checksum != igmp.ChecksumUnread {
		ok := v.Checksum == igmp.ChecksumGood
		p.ChecksumOK = &ok
	}
	switch v.Type {
	case igmp.TypeQuery:
		p.setMaxResp(v.MaxResp)
		if v.Version == 3 {
			p.setQuerier(v.SuppressRouter, v.QRV, v.QQI)
			p.Sources = slices.AppendSeq([]netip.Addr{}, v.Sources())
		}
	case igmp.TypeReportV3:
		p.Records = []record{}
		for r := range v.Records() {
			p.Records = append(p.Records, record{
				Type: recordName(r.Type), Group: r.Group, Sources: r.AppendSources([]netip.Addr{}), AuxWords: int(r.AuxWords),
			})
		}
	}
}

func (p *packet) setType(t igmp.Type) { p.Type, p.message = typeName(t), t }

func (p *packet) setMaxResp(d time.Duration) {
	ms := d.Milliseconds()
	p.MaxResp = &ms
}

func (p *packet) setQuerier(s bool, qrv uint8, qqi time.Duration) {
	robustness, seconds := int(qrv), int64(qqi/time.Second)
	p.S, p.QRV, p.QQI = &s, &robustness, &seconds
}

// recordName is the RFC's name of a record type (RFC 9776 4.2.13).
func recordName(t igmp.RecordType) string {
	switch t {
	case igmp.IsIn:
		return "MODE_IS_INCLUDE"
	case igmp.IsEx:
		return "MODE_IS_EXCLUDE"
	case igmp.ToIn:
		return "CHANGE_TO_INCLUDE_MODE"
	case igmp.ToEx:
		return "CHANGE_TO_EXCLUDE_MODE"
	case igmp.Allow:
		return "ALLOW_NEW_SOURCES"
	case igmp.Block:
		return "BLOCK_OLD_SOURCES"
	}
	return fmt.Sprintf("UNKNOWN(%d)", uint8(t))
}
