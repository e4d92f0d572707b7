package igmp

import (
	"net/netip"
	"strconv"
	"time"
)

// Query is a Membership Query (RFC 9776 4.1; RFC 2236 2.1; RFC 1112 Appendix I).
type Query struct {
	// Version is 1, 2 or 3. It decides the form; decoding tells it by length and code (RFC 9776 7.1).
	Version uint8
	// Group is 0.0.0.0 in a general query, else the group asked for. The zero Addr is not a general query but ErrAddress.
	Group netip.Addr
	// MaxResp is how long hosts may take to answer. Version 1 has no field for it: it reads as 10 s and is not
	// written. Version 2: 0.1 s to 25.5 s in tenths. Version 3: 0 (at once) to 3174.4 s. Encoding rounds down to what
	// the field can express; outside the range it is ErrTime.
	MaxResp time.Duration

	// SuppressRouter is the S flag: routers do not lower their timers on this query. This and the fields below are of
	// version 3; versions 1 and 2 do not write the times and flags, and with Sources are ErrVersionSources.
	SuppressRouter bool
	// QRV is the querier's robustness variable. Above 7 it is written as 0, not told (RFC 9776 4.1.6).
	QRV uint8
	// QQI is the querier's query interval, 0 to 31744 s. Encoding rounds up to what the code can express.
	QQI time.Duration
	// Sources makes a group-and-source-specific query. An IPv4 packet holds 16374 of them, an Ethernet frame 366; see
	// SplitQuery.
	Sources []netip.Addr
}

// Type returns TypeQuery.
func (*Query) Type() Type { return TypeQuery }

// Len returns the encoded length: 8, or 12 and 4 for each source in version 3.
func (q *Query) Len() uint16 { return saturate(q.size()) }

func (q *Query) size() int {
	if q.Version < 3 {
		return groupMessage
	}
	return queryV3 + len(q.Sources)*addrLen
}

// MarshalBinary returns the encoded message.
func (q *Query) MarshalBinary() ([]byte, error) { return marshal(q) }

// AppendBinary appends the message to b. On error b comes back as it was.
func (q *Query) AppendBinary(b []byte) ([]byte, error) {
	if q.size() > maxMessage {
		return b, encodeError(TypeQuery, "", ErrTooLong)
	}
	start := len(b)
	code, err := q.code()
	if err != nil {
		return b, err
	}
	b, err = appendAddr(appendHeader(b, TypeQuery, code), q.Group)
	if err != nil {
		return b[:start], encodeError(TypeQuery, "group", err)
	}
	if q.Version == 3 {
		if b, err = q.appendV3(b); err != nil {
			return b[:start], err
		}
	}
	return finish(b, start), nil
}

// code returns the second byte.
func (q *Query) code() (uint8, error) {
	if q.Version < 3 && len(q.Sources) > 0 {
		return 0, encodeError(TypeQuery, "", ErrVersionSources)
	}
	var code uint8
	var err error
	switch q.Version {
	case 1:
	case 2:
		code, err = maxRespCodeV2(q.MaxResp)
	case 3:
		var c Code
		c, err = MaxRespCode(q.MaxResp)
		code = uint8(c)
	default:
		return 0, encodeError(TypeQuery, "", ErrVersion)
	}
	if err != nil {
		return 0, encodeError(TypeQuery, "max resp", err)
	}
	return code, nil
}

func (q *Query) appendV3(b []byte) ([]byte, error) {
	qqic, err := QQICode(q.QQI)
	if err != nil {
		return b, encodeError(TypeQuery, "QQI", err)
	}
	var flags byte
	if q.SuppressRouter {
		flags = flagSuppress
	}
	if q.QRV <= maskQRV {
		flags |= q.QRV
	}
	b = appendCount(append(b, flags, byte(qqic)), len(q.Sources))
	for i, s := range q.Sources {
		if b, err = appendAddr(b, s); err != nil {
			return b, encodeError(TypeQuery, "source "+strconv.Itoa(i), err)
		}
	}
	return b, nil
}

// UnmarshalBinary is Parse for this type alone; another is ErrType. On error q is unchanged.
func (q *Query) UnmarshalBinary(payload []byte) error {
	var v View
	if err := v.readAs(TypeQuery, payload); err != nil {
		return err
	}
	*q = *v.query()
	return nil
}

func (v *View) query() *Query {
	q := &Query{
		Version: v.Version, Group: v.Group, MaxResp: v.MaxResp,
		SuppressRouter: v.SuppressRouter, QRV: v.QRV, QQI: v.QQI,
	}
	if v.count > 0 {
		q.Sources = appendAddrs(nil, v.list)
	}
	return q
}
