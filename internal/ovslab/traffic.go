package ovslab

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"sync"
)

// Traffic is what went by a relay in one direction.
type Traffic struct {
	// ByType counts messages by the header's type byte.
	ByType map[uint8]int
	// Messages holds the whole messages in the order of arrival, those of one
	// connection in its order. The bytes belong to the caller and are not
	// written again.
	Messages [][]byte
}

// Type returns the messages of one type.
func (t Traffic) Type(messageType uint8) [][]byte {
	var of [][]byte
	for _, m := range t.Messages {
		if m[1] == messageType {
			of = append(of, m)
		}
	}
	return of
}

// tally collects the Traffic of one direction.
type tally struct {
	mu       sync.Mutex
	byType   map[uint8]int
	messages [][]byte
}

func newTally() *tally { return &tally{byType: map[uint8]int{}} }

// count takes one whole message, which it copies.
func (t *tally) count(message []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byType[message[1]]++
	t.messages = append(t.messages, bytes.Clone(message))
}

func (t *tally) traffic() Traffic {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Traffic{ByType: maps.Clone(t.byType), Messages: slices.Clone(t.messages)}
}

func (t *tally) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.byType)
	t.messages = nil
}

// headerLen is the length of the OpenFlow header: version, type, a 16-bit
// length of the whole message and a transaction ID.
const headerLen = 8

// splitter cuts a byte stream into OpenFlow messages.
type splitter struct {
	rest   []byte
	broken bool
}

// feed takes the stream's next bytes and calls f with every message that they
// complete. After a length below the header's nothing can be told apart any
// more: what follows is passed over.
func (s *splitter) feed(b []byte, f func(message []byte)) {
	if s.broken {
		return
	}
	s.rest = append(s.rest, b...)
	at := 0
	for len(s.rest)-at >= headerLen {
		length := int(binary.BigEndian.Uint16(s.rest[at+2:]))
		if length < headerLen {
			s.broken, s.rest = true, nil
			return
		}
		if len(s.rest)-at < length {
			break
		}
		f(s.rest[at : at+length])
		at += length
	}
	s.rest = append(s.rest[:0], s.rest[at:]...)
}
