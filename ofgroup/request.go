package ofgroup

import (
	"encoding/binary"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// Request asks a switch about its groups: a multipart request (OpenFlow 1.5.1, 7.3.5.9 to
// 7.3.5.11). It is comparable.
//
// Asking for the statistics of AllGroups is how to learn which groups there are. Asking
// for all descriptions is not safe: one group that is too large for its description, which
// another controller may have made, brings Open vSwitch down (see Group.Readable). Ask for
// one after the other, in OpenFlow 1.5.
type Request struct {
	Kind RequestKind
	ID   ID // the group, or AllGroups; RequestFeatures has none
}

// RequestKind is what a Request asks for, by OpenFlow's number of the multipart type.
type RequestKind uint16

const (
	RequestStats    RequestKind = openflow.MultipartGroup         // see ParseGroupStats
	RequestDesc     RequestKind = openflow.MultipartGroupDesc     // see ParseGroupDesc
	RequestFeatures RequestKind = openflow.MultipartGroupFeatures // see ParseGroupFeatures
)

// String is the kind in the words of ovs-ofctl's dump commands.
func (k RequestKind) String() string {
	switch k {
	case RequestStats:
		return "group-stats"
	case RequestDesc:
		return "groups"
	case RequestFeatures:
		return "group-features"
	default:
		return fmt.Sprintf("RequestKind(0x%x)", uint16(k))
	}
}

var errRequest = fmt.Errorf("%w: not a request about groups", ErrMalformed)

const (
	offRequestKind  = openflow.HeaderLen
	offRequestFlags = 10
	offRequestID    = openflow.MultipartHeaderLen
	requestIDLen    = 8 // the ID and four bytes of padding
)

// hasID reports whether the request names a group: in OpenFlow 1.3 a description does not,
// as the switch describes all there.
func (k RequestKind) hasID(v Version) bool {
	return k == RequestStats || k == RequestDesc && v == OpenFlow15
}

// AppendMessage appends the whole message in version v to b, with the transaction ID 0.
// The error is an *Error that matches ErrVersion: for a version unknown here, and for the
// description of one group in OpenFlow 1.3, which can only be asked for all.
func (r Request) AppendMessage(b []byte, v Version) ([]byte, error) {
	err := v.check()
	switch {
	case err != nil:
	case r.Kind == RequestDesc && v == OpenFlow13 && r.ID != AllGroups:
		err = fault{ErrVersion, "a description of one group in " + v.String()}
	case r.Kind < RequestStats || r.Kind > RequestFeatures:
		err = errRequest
	}
	if err != nil {
		return b, &Error{Op: "encode", ID: r.ID, Bucket: NoBucket, Err: err}
	}
	n := openflow.MultipartHeaderLen
	if r.Kind.hasID(v) {
		n += requestIDLen
	}
	b = openflow.AppendHeader(b, openflow.Header{
		Version: uint8(v), Type: openflow.TypeMultipartRequest, Length: uint16(n),
	})
	b = binary.BigEndian.AppendUint16(b, uint16(r.Kind))
	b = append(b, 0, 0, 0, 0, 0, 0)
	if r.Kind.hasID(v) {
		b = append(binary.BigEndian.AppendUint32(b, uint32(r.ID)), 0, 0, 0, 0)
	}
	return b, nil
}

// ParseRequest decodes one whole request about groups, of either version. The error is an
// *Error that matches ErrMalformed.
func ParseRequest(msg []byte) (Request, error) {
	fail := func(err error) (Request, error) {
		return Request{}, &Error{Op: "decode", Bucket: NoBucket, Err: err}
	}
	h, err := openflow.ParseHeader(msg)
	v := Version(h.Version)
	switch {
	case err != nil:
		return fail(fmt.Errorf("%w: %w", ErrMalformed, err))
	case h.Type != openflow.TypeMultipartRequest, v.check() != nil,
		int(h.Length) != len(msg), len(msg) < openflow.MultipartHeaderLen,
		binary.BigEndian.Uint16(msg[offRequestFlags:]) != 0: // such requests have one part
		return fail(errRequest)
	}
	r := Request{Kind: RequestKind(binary.BigEndian.Uint16(msg[offRequestKind:]))}
	switch body := msg[offRequestID:]; {
	case r.Kind < RequestStats || r.Kind > RequestFeatures:
		return fail(errRequest)
	case !r.Kind.hasID(v):
		if len(body) != 0 {
			return fail(errRequest)
		}
		if r.Kind == RequestDesc {
			r.ID = AllGroups
		}
	case len(body) != requestIDLen:
		return fail(errRequest)
	default:
		r.ID = ID(binary.BigEndian.Uint32(body))
	}
	return r, nil
}

// String is the request as the words that ovs-ofctl takes for it, around the name of the
// switch.
func (r Request) String() string {
	if r.Kind == RequestFeatures || r.ID == AllGroups {
		return "dump-" + r.Kind.String()
	}
	return "dump-" + r.Kind.String() + " " + r.ID.String()
}
