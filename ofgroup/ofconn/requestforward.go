package ofconn

import (
	"bytes"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// parseRequestForward decodes the news of somebody else's change, in either version:
// package ofgroup knows the message of 1.5, and 1.3 has the same body in an extension of
// the ONF.
func parseRequestForward(msg []byte) (ofgroup.RequestForward, error) {
	h, err := openflow.ParseHeader(msg)
	if err != nil || h.Version != openflow.Version13 {
		return ofgroup.ParseRequestForward(msg)
	}
	inner, ok := extended(msg, openflow.TypeRequestForward, openflow.ONFRequestForward)
	if !ok {
		return ofgroup.RequestForward{}, malformed("not a forwarded request")
	}
	ih, err := openflow.ParseHeader(inner)
	if err != nil || ih.Version != h.Version || int(ih.Length) != len(inner) {
		return ofgroup.RequestForward{}, malformed("forwarded request")
	}
	f := ofgroup.RequestForward{XID: h.XID}
	if ih.Type != openflow.TypeGroupMod {
		f.Request = bytes.Clone(inner)
		return f, nil
	}
	f.Mod = new(ofgroup.Mod)
	if err := f.Mod.UnmarshalBinary(inner); err != nil {
		return ofgroup.RequestForward{}, err
	}
	return f, nil
}
