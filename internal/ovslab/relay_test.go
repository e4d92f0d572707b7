package ovslab

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func message(messageType uint8, body string) []byte {
	m := binary.BigEndian.AppendUint16([]byte{6, messageType}, uint16(headerLen+len(body)))
	return append(append(m, 0, 0, 0, 1), body...)
}

func TestSplitterFindsTheSameMessagesHoweverTheStreamIsCut(t *testing.T) {
	want := [][]byte{message(2, ""), message(15, "0123456789abcdef"), message(20, ""), message(15, strings.Repeat("x", 65535-headerLen))}
	stream := bytes.Join(want, nil)
	for _, size := range []int{1, 3, 7, 8, 9, 4096, len(stream)} {
		var s splitter
		var got [][]byte
		for piece := range slices.Chunk(stream, size) {
			s.feed(piece, func(m []byte) { got = append(got, bytes.Clone(m)) })
		}
		require.Equal(t, want, got, "pieces of %d", size)
	}
}

func TestSplitterStopsCountingAfterAnImpossibleLength(t *testing.T) {
	var s splitter
	n := 0
	count := func([]byte) { n++ }
	s.feed(append(message(2, ""), 6, 2, 0, 4, 0, 0, 0, 2), count)
	s.feed(message(2, ""), count)
	require.Equal(t, 1, n)
}

func TestRelayCountsAndPassesOnWhatBothSidesSay(t *testing.T) {
	lab := New(t, Config{})
	relay := relayOf(t, lab)

	_, err := lab.Ofctl(t.Context(), "add-group", "unix:"+relay.Path(), "group_id=3,type=all,bucket=output:1")
	require.NoError(t, err)

	up, down := relay.ToSwitch(), relay.FromSwitch()
	require.Equal(t, 1, up.ByType[15], "one GROUP_MOD")
	require.Equal(t, 1, up.ByType[20], "one BARRIER_REQUEST")
	require.Equal(t, 1, down.ByType[21], "one BARRIER_REPLY")
	require.Len(t, up.Type(15), 1)
	require.Equal(t, []byte{0, 0, 0, 3}, up.Type(15)[0][12:16], "the group's ID")
	dump, err := lab.Ofctl(t.Context(), "dump-groups", lab.Bridge())
	require.NoError(t, err)
	require.Contains(t, dump, "group_id=3")

	relay.Reset()
	require.Empty(t, relay.ToSwitch().ByType)
	require.Empty(t, relay.FromSwitch().Messages)
	require.Len(t, up.Messages[len(up.Messages)-1], headerLen, "what was handed out stays")
}

func TestRelayEndsBothSidesWhenOneEnds(t *testing.T) {
	client, server := relayedPair(t)
	require.NoError(t, server.Close())
	_, err := io.Copy(io.Discard, client)
	require.NoError(t, err, "the client saw the end")
}

func TestRelayCloseEndsItsConnections(t *testing.T) {
	lab := New(t, Config{})
	relay, err := lab.Relay()
	require.NoError(t, err)
	conn, err := relay.Dial(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.ReadFull(conn, make([]byte, headerLen)) // the switch's hello
	require.NoError(t, err)

	require.NoError(t, relay.Close())
	require.NoError(t, relay.Close())
	_, err = io.Copy(io.Discard, conn)
	require.True(t, err == nil || errors.Is(err, syscall.ECONNRESET), "%v", err)
	_, err = relay.Dial(t.Context())
	require.Error(t, err)
}

func relayOf(t *testing.T, lab *Lab) *Relay {
	t.Helper()
	relay, err := lab.Relay()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, relay.Close()) })
	return relay
}

// relayedPair returns a client's end and the far end behind a relay.
func relayedPair(t *testing.T) (client, server net.Conn) {
	t.Helper()
	near, far := net.Pipe()
	dir, err := os.MkdirTemp("", "r")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	relay, err := newRelay(filepath.Join(dir, "s"), func(context.Context) (net.Conn, error) { return near, nil })
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, relay.Close()) })
	client, err = relay.Dial(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return client, far
}
