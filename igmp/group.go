package igmp

import "net/netip"

// ReportV1 is an IGMPv1 Host Membership Report (RFC 1112 Appendix I): the sender is a member of Group.
type ReportV1 struct {
	// Group must be IPv4 to be encoded. Decoding takes any address; whether it is a group is the receiver's to judge.
	Group netip.Addr
}

// ReportV2 is an IGMPv2 Membership Report (RFC 2236 2.1): the sender is a member of Group.
type ReportV2 struct {
	// Group is as in ReportV1.
	Group netip.Addr
}

// Leave is an IGMPv2 Leave Group message (RFC 2236 2.1): the sender, which reported last, is no longer a member.
type Leave struct {
	// Group is as in ReportV1.
	Group netip.Addr
}

// Type returns TypeReportV1.
func (*ReportV1) Type() Type { return TypeReportV1 }

// Type returns TypeReportV2.
func (*ReportV2) Type() Type { return TypeReportV2 }

// Type returns TypeLeave.
func (*Leave) Type() Type { return TypeLeave }

// Len returns 8.
func (*ReportV1) Len() uint16 { return groupMessage }

// Len returns 8.
func (*ReportV2) Len() uint16 { return groupMessage }

// Len returns 8.
func (*Leave) Len() uint16 { return groupMessage }

func (*ReportV1) size() int { return groupMessage }
func (*ReportV2) size() int { return groupMessage }
func (*Leave) size() int    { return groupMessage }

// AppendBinary appends the message to b. On ErrAddress b comes back as it was.
func (r *ReportV1) AppendBinary(b []byte) ([]byte, error) {
	return appendGroupMessage(b, TypeReportV1, r.Group)
}

// AppendBinary appends the message to b. On ErrAddress b comes back as it was.
func (r *ReportV2) AppendBinary(b []byte) ([]byte, error) {
	return appendGroupMessage(b, TypeReportV2, r.Group)
}

// AppendBinary appends the message to b. On ErrAddress b comes back as it was.
func (l *Leave) AppendBinary(b []byte) ([]byte, error) {
	return appendGroupMessage(b, TypeLeave, l.Group)
}

// MarshalBinary returns the encoded message.
func (r *ReportV1) MarshalBinary() ([]byte, error) { return marshal(r) }

// MarshalBinary returns the encoded message.
func (r *ReportV2) MarshalBinary() ([]byte, error) { return marshal(r) }

// MarshalBinary returns the encoded message.
func (l *Leave) MarshalBinary() ([]byte, error) { return marshal(l) }

// UnmarshalBinary is Parse for this type alone; another is ErrType. On error r is unchanged.
func (r *ReportV1) UnmarshalBinary(payload []byte) error {
	return readGroup(&r.Group, TypeReportV1, payload)
}

// UnmarshalBinary is Parse for this type alone; another is ErrType. On error r is unchanged.
func (r *ReportV2) UnmarshalBinary(payload []byte) error {
	return readGroup(&r.Group, TypeReportV2, payload)
}

// UnmarshalBinary is Parse for this type alone; another is ErrType. On error l is unchanged.
func (l *Leave) UnmarshalBinary(payload []byte) error {
	return readGroup(&l.Group, TypeLeave, payload)
}

func readGroup(group *netip.Addr, t Type, payload []byte) error {
	var v View
	if err := v.readAs(t, payload); err != nil {
		return err
	}
	*group = v.Group
	return nil
}

func appendGroupMessage(b []byte, t Type, group netip.Addr) ([]byte, error) {
	start := len(b)
	b, err := appendAddr(appendHeader(b, t, 0), group)
	if err != nil {
		return b[:start], encodeError(t, "group", err)
	}
	return finish(b, start), nil
}
