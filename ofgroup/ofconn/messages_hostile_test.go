package ofconn_test

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// parsers are all that read a message of the switch. Answers in parts are read without
// their header.
var parsers = map[string]func([]byte) (any, error){
	"packet-in":    func(b []byte) (any, error) { return ofconn.ParsePacketIn(b) },
	"port status":  func(b []byte) (any, error) { return ofconn.ParsePortStatus(b) },
	"flow removed": func(b []byte) (any, error) { return ofconn.ParseFlowRemoved(b) },
	"role":         func(b []byte) (any, error) { return ofconn.ParseRoleReply(b) },
	"role status":  func(b []byte) (any, error) { return ofconn.ParseRoleStatus(b) },
	"ports":        ofParts(13, ofconn.ParsePortDescs),
	"flow stats":   ofParts(1, ofconn.ParseFlowStats),
	"flow totals":  ofParts(2, ofconn.ParseFlowTotals),
	"port stats":   ofParts(4, ofconn.ParsePortStats),
	"meter stats": ofParts(9, func(_ ofgroup.Version, b []byte) ([]ofconn.MeterStats, error) {
		return ofconn.ParseMeterStats(b)
	}),
}

// ofParts parses the body of an answer in parts, of one multipart type.
func ofParts[T any](kind byte, parse func(ofgroup.Version, []byte) (T, error)) func([]byte) (any, error) {
	return func(b []byte) (any, error) {
		if len(b) < multipartHeaderLen || b[1] != typeMultipartReply || b[9] != kind {
			return nil, ofgroup.ErrMalformed
		}
		return parse(ofgroup.Version(b[0]), b[multipartHeaderLen:])
	}
}

// fromTheSwitch are whole messages, by the parser that reads them.
func fromTheSwitch(tb testing.TB) map[string][][]byte {
	all := map[string][][]byte{
		"role status":  {unhex(roleStatus15), unhex(roleStatus13)},
		"role":         {unhex("061900180000000500000002000000000123456789abcdef")},
		"flow removed": {unhex(flowRemoved15), unhex(flowRemoved13)},
	}
	for _, s := range portStatuses {
		all["port status"] = append(all["port status"], unhex(s.hex))
	}
	for _, r := range packetIns(tb) {
		all["packet-in"] = append(all["packet-in"], unhex(r.Hex))
	}
	for _, r := range recordedOf(tb, "port_desc_reply") {
		all["ports"] = append(all["ports"], unhex(r.Hex))
	}
	return all
}

// exercise reads msg by every parser and checks what is true of any answer.
func exercise(tb testing.TB, msg []byte) (read int) {
	before := bytes.Clone(msg)
	for name, parse := range parsers {
		v, err := parse(msg)
		require.Equal(tb, before, msg, "%s: the input is not written to", name)
		if err != nil {
			require.ErrorIs(tb, err, ofgroup.ErrMalformed, name)
			require.True(tb, v == nil || reflect.ValueOf(v).IsZero(), "%s: %v with an error", name, v)
			continue
		}
		read++
		if p, ok := v.(ofconn.PacketIn); ok {
			require.LessOrEqual(tb, len(p.Frame), len(msg))
			require.LessOrEqual(tb, len(p.UserData), len(msg))
			p.Truncated()
		}
	}
	return read
}

func TestEveryPrefixOfEveryMessageIsMalformed(t *testing.T) {
	for name, messages := range fromTheSwitch(t) {
		for _, msg := range messages {
			for n := range msg {
				if name == "ports" && (n-multipartHeaderLen)%portLen(msg) == 0 {
					continue // whole ports
				}
				_, err := parsers[name](msg[:n])
				require.ErrorIs(t, err, ofgroup.ErrMalformed, "%s: %d of %d bytes", name, n, len(msg))
			}
			_, err := parsers[name](append(bytes.Clone(msg), 0))
			require.ErrorIs(t, err, ofgroup.ErrMalformed, "%s: a byte too many", name)
		}
	}
}

// portLen is the length of one port of Open vSwitch in a description.
func portLen(msg []byte) int {
	if msg[0] == byte(ofgroup.OpenFlow15) {
		return 72
	}
	return 64
}

// A prefix whose header agrees with its length is read or not, without a panic.
func TestMessagesThatEndEarlyDoNoHarm(t *testing.T) {
	for _, messages := range fromTheSwitch(t) {
		for _, msg := range messages {
			for n := 8; n < len(msg); n++ {
				short := bytes.Clone(msg[:n])
				binary.BigEndian.PutUint16(short[2:], uint16(n))
				exercise(t, short)
			}
		}
	}
}

func TestMessagesWithAWrongByteDoNoHarm(t *testing.T) {
	for _, messages := range fromTheSwitch(t) {
		for _, msg := range messages {
			for i, b := range msg {
				for _, wrong := range []byte{0, 0xff, ^b, b + 1, b - 1, b ^ 0x80} {
					msg[i] = wrong
					exercise(t, msg)
				}
				msg[i] = b
			}
			require.Equal(t, 1, exercise(t, msg), "it is read by one, once it is right again")
		}
	}
}

func FuzzParseMessage(f *testing.F) {
	for _, messages := range fromTheSwitch(f) {
		for _, msg := range messages {
			f.Add(msg)
		}
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		exercise(t, msg)
		if len(msg) >= 8 && len(msg) <= 0xffff {
			binary.BigEndian.PutUint16(msg[2:], uint16(len(msg))) // so that mutations get further
			exercise(t, msg)
		}
	})
}
