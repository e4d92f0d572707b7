package mcast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
)

// The encoding of a snapshot is one JSON object:
//
//	{"format":"mcast snapshot","version":1,"crc32c":"e3069283","memberships":[...]}
//
// The sum is CRC-32C over the value of memberships without white space between
// its tokens, in hexadecimal. Each membership is the object of
// Membership.MarshalJSON. A change that an older reader would misunderstand
// gets a new version number.
const (
	snapshotFormat  = "mcast snapshot"
	snapshotVersion = 1
)

type snapshotJSON struct {
	Format      string          `json:"format"`
	Version     int             `json:"version"`
	Sum         string          `json:"crc32c"`
	Memberships json.RawMessage `json:"memberships"`
}

// MarshalJSON encodes the snapshot as an object with a format, a version, a
// checksum, and the memberships as [Membership.MarshalJSON] encodes them. The
// member type must encode itself in JSON and back.
func (s Snapshot[M]) MarshalJSON() ([]byte, error) {
	list := s.Memberships
	if list == nil {
		list = []Membership[M]{}
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	return json.Marshal(snapshotJSON{snapshotFormat, snapshotVersion, sum(raw), raw})
}

// UnmarshalJSON decodes what MarshalJSON has encoded. When it is damaged, or of
// another version, it returns an error that wraps ErrSnapshot and leaves s as
// it is. Whether the memberships can be is found by [Cache.Restore].
func (s *Snapshot[M]) UnmarshalJSON(data []byte) error {
	var in snapshotJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return unusable(err.Error())
	}
	switch {
	case in.Format != snapshotFormat:
		return unusable(fmt.Sprintf("format %q", in.Format))
	case in.Version != snapshotVersion:
		return unusable(fmt.Sprintf("version %d, this is %d", in.Version, snapshotVersion))
	}
	var raw bytes.Buffer
	if err := json.Compact(&raw, in.Memberships); err != nil {
		return unusable("no memberships")
	}
	if in.Sum != sum(raw.Bytes()) {
		return unusable("checksum does not agree")
	}
	var list []Membership[M]
	if err := json.Unmarshal(raw.Bytes(), &list); err != nil {
		return unusable(err.Error())
	}
	s.Memberships = list
	return nil
}

func unusable(why string) error { return &Error{Op: "decode snapshot", Detail: why, Err: ErrSnapshot} }

func sum(b []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}
