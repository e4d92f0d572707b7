package ovsdb

import (
	"encoding/json"
	"net"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// fakeServer is the other end of a client's connection.
type fakeServer struct {
	t    *testing.T
	conn net.Conn
	in   *json.Decoder
}

// bound is the largest message of tests: smaller than users', for speed.
const bound = 1 << 18

// withFake runs a test of a client on a connection to a fake server, in a
// bubble: time passes when all wait, and a goroutine that is left over after
// Close fails the test.
func withFake(t *testing.T, test func(t *testing.T, c *Client, s *fakeServer)) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		c := newClient(ours, bound)
		defer theirs.Close()
		defer c.Close()
		test(t, c, &fakeServer{t: t, conn: theirs, in: json.NewDecoder(theirs)})
	})
}

// next is the client's next message.
func (s *fakeServer) next() message {
	var m message
	require.NoError(s.t, s.in.Decode(&m))
	return m
}

// say sends a text as it is; it may stay unread once the client has given up.
func (s *fakeServer) say(text string) error {
	_, err := s.conn.Write([]byte(text))
	return err
}

// answer answers a request with a result.
func (s *fakeServer) answer(request message, result string) {
	require.NoError(s.t, s.say(`{"id":`+string(request.ID)+`,"result":`+result+`,"error":null}`))
}

// answerAll answers requests with these results in turn, until the connection
// ends.
func (s *fakeServer) answerAll(results ...string) {
	for _, r := range results {
		var m message
		if s.in.Decode(&m) != nil || s.say(`{"id":`+string(m.ID)+`,"result":`+r+`,"error":null}`) != nil {
			return
		}
	}
}

// noBridge is the result of a Bridge call on an empty database.
const noBridge = `[{"rows":[]},{"rows":[]},{"rows":[]}]`
