package ovsdb

import (
	"encoding/json"
	"fmt"
)

// The database's notation of values (RFC 7047 section 5.1) is decoded here and
// nowhere else: rows are structs of these types, and of plain strings and bools
// for columns with exactly one value.

// set is a column of any number of values, an optional one too: one value can
// stand alone, otherwise they are ["set", [value…]].
type set[T any] []T

// UnmarshalJSON takes both forms.
func (s *set[T]) UnmarshalJSON(text []byte) error {
	values := []json.RawMessage{text}
	if tag, inner := tagged(text); tag == "set" && json.Unmarshal(inner, &values) != nil {
		return fmt.Errorf("no list in a set: %.40s", text)
	}
	out := make(set[T], len(values))
	for i, v := range values {
		if string(v) == "null" { // Unmarshal would pass over it
			return fmt.Errorf("null in a set: %.40s", text)
		}
		if err := json.Unmarshal(v, &out[i]); err != nil {
			return err
		}
	}
	*s = out
	return nil
}

// first is the value of an optional column, zero if there is none.
func (s set[T]) first() (v T) {
	if len(s) > 0 {
		v = s[0]
	}
	return v
}

// dict is a column that maps strings to strings: ["map", [[key, value]…]].
type dict map[string]string

// UnmarshalJSON takes that form.
func (d *dict) UnmarshalJSON(text []byte) error {
	var pairs [][]string
	if tag, inner := tagged(text); tag != "map" || json.Unmarshal(inner, &pairs) != nil {
		return fmt.Errorf("no map of strings: %.40s", text)
	}
	*d = make(dict, len(pairs))
	for _, p := range pairs {
		if len(p) != 2 {
			return fmt.Errorf("no pair in a map: %.40s", text)
		}
		(*d)[p[0]] = p[1]
	}
	return nil
}

// uuid refers to a row: ["uuid", id], or ["named-uuid", name] for one that the
// same transaction inserts.
type uuid string

// UnmarshalJSON takes both.
func (u *uuid) UnmarshalJSON(text []byte) error {
	tag, inner := tagged(text)
	if tag != "uuid" && tag != "named-uuid" {
		return fmt.Errorf("no reference to a row: %.40s", text)
	}
	return json.Unmarshal(inner, (*string)(u))
}

// tagged takes ["tag", inner] apart; what has another form has no tag.
func tagged(text []byte) (tag string, inner json.RawMessage) {
	var pair []json.RawMessage
	if json.Unmarshal(text, &pair) != nil || len(pair) != 2 || json.Unmarshal(pair[0], &tag) != nil {
		return "", nil
	}
	return tag, pair[1]
}
