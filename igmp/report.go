package igmp

import (
	"net/netip"
	"strconv"
)

// ReportV3 is an IGMPv3 Membership Report (RFC 9776 4.2).
type ReportV3 struct {
	// Records may be none. An IPv4 packet holds 8187 without sources, an Ethernet frame 183; see SplitReport.
	Records []Record
}

// Record is one group record of a ReportV3.
type Record struct {
	// Type is what the record states. Decoding keeps unknown types (ignore them: RFC 9776 4.2.13), encoding refuses
	// them with ErrRecordType.
	Type RecordType
	// AuxWords is the length of the auxiliary data as received, in 32-bit words. The data is skipped, and none is ever
	// sent (RFC 9776 4.2.11).
	AuxWords uint8
	// Group is as in ReportV1.
	Group netip.Addr
	// Sources is in the order of the wire, repetitions included.
	Sources []netip.Addr
}

// Type returns TypeReportV3.
func (*ReportV3) Type() Type { return TypeReportV3 }

// Len returns the encoded length: 8, and for each record 8 and 4 for each source.
func (r *ReportV3) Len() uint16 { return saturate(r.size()) }

func (r *ReportV3) size() int {
	n := groupMessage
	for i := range r.Records {
		n += r.Records[i].size()
	}
	return n
}

func (r *Record) size() int { return recordHeader + len(r.Sources)*addrLen }

// MarshalBinary returns the encoded message.
func (r *ReportV3) MarshalBinary() ([]byte, error) { return marshal(r) }

// AppendBinary appends the message to b. On error b comes back as it was.
func (r *ReportV3) AppendBinary(b []byte) ([]byte, error) {
	if r.size() > maxMessage {
		return b, encodeError(TypeReportV3, "", ErrTooLong)
	}
	start := len(b)
	b = append(appendHeader(b, TypeReportV3, 0), 0, 0) // flags, none defined for senders
	b = appendCount(b, len(r.Records))
	for i := range r.Records {
		var where string
		var err error
		if b, where, err = r.Records[i].append(b); err != nil {
			return b[:start], encodeError(TypeReportV3, "record "+strconv.Itoa(i)+where, err)
		}
	}
	return finish(b, start), nil
}

// append appends the record, or says what in it was wrong.
func (r *Record) append(b []byte) (_ []byte, where string, err error) {
	if !r.Type.Known() {
		return b, "", ErrRecordType
	}
	b = appendCount(append(b, byte(r.Type), 0), len(r.Sources))
	if b, err = appendAddr(b, r.Group); err != nil {
		return b, ": group", err
	}
	for i, s := range r.Sources {
		if b, err = appendAddr(b, s); err != nil {
			return b, ": source " + strconv.Itoa(i), err
		}
	}
	return b, "", nil
}

// UnmarshalBinary is Parse for this type alone; another is ErrType. On error r is unchanged.
func (r *ReportV3) UnmarshalBinary(payload []byte) error {
	var v View
	if err := v.readAs(TypeReportV3, payload); err != nil {
		return err
	}
	*r = *v.reportV3()
	return nil
}

// reportV3 copies the records, and all their sources into one array.
func (v *View) reportV3() *ReportV3 {
	if v.count == 0 {
		return &ReportV3{}
	}
	records := make([]Record, 0, v.count)
	sources := make([]netip.Addr, 0, (len(v.list)-v.count*recordHeader)/addrLen)
	eachRecord(v.list, func(r RecordView) bool {
		rec := Record{Type: r.Type, AuxWords: r.AuxWords, Group: r.Group}
		if start := len(sources); r.NumSources() > 0 {
			sources = r.AppendSources(sources)
			rec.Sources = sources[start:len(sources):len(sources)]
		}
		records = append(records, rec)
		return true
	})
	return &ReportV3{Records: records}
}
