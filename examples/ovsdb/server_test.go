package ovsdb

import (
	"net"
	"strings"
	"testing"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/stretchr/testify/require"
)

// TestRefusalsOfTheRealServer provokes what the calls of this package do not.
func TestRefusalsOfTheRealServer(t *testing.T) {
	t.Parallel()
	l := ovslab.New(t, ovslab.Config{})
	c, err := Dial(t.Context(), "unix:"+l.Dir()+"/db.sock")
	require.NoError(t, err)
	defer c.Close()
	look := selectOp("Bridge", condition{}, "name")
	insert := op{"op": "insert", "table": "Open_vSwitch", "row": op{}}

	var refused *ServerError
	_, err = c.transact(t.Context(), look, op{"op": "none"}, look)
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 1, refused.Op)
	require.Equal(t, "syntax error", refused.Code)

	_, err = c.transact(t.Context(), look, insert) // there is a row already
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 2, refused.Op, "the commit")
	require.Equal(t, "constraint violation", refused.Code)

	_, err = c.call(t.Context(), "transact", []any{"none"})
	require.ErrorAs(t, err, &refused)
	require.Equal(t, -1, refused.Op)
	require.Equal(t, "unknown database", refused.Code)

	_, err = c.transact(t.Context(), look)
	require.NoError(t, err, "the connection is as good as before")
}

// tap shows what a client writes.
type tap struct {
	net.Conn
	wrote chan string
}

func (c tap) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.wrote <- string(b)
	return n, err
}

// TestTheRealServerIsAnsweredWhenItProbes has a server that ends connections
// whose other end does not answer within a second.
func TestTheRealServerIsAnsweredWhenItProbes(t *testing.T) {
	t.Parallel()
	l := ovslab.New(t, ovslab.Config{})
	control, err := Dial(t.Context(), "unix:"+l.Dir()+"/ovsdb.ctl") // JSON-RPC as well
	require.NoError(t, err)
	defer control.Close()
	_, err = control.call(t.Context(), "ovsdb-server/add-remote", []string{"db:Open_vSwitch,Open_vSwitch,manager_options"})
	require.NoError(t, err)
	_, err = l.Vsctl(t.Context(), "set-manager", "ptcp:0:127.0.0.1")
	require.NoError(t, err)
	_, err = l.Vsctl(t.Context(), "wait-until", "manager", ".", "status:bound_port>0")
	require.NoError(t, err)
	port, err := l.Vsctl(t.Context(), "get", "manager", ".", "status:bound_port")
	require.NoError(t, err)
	conn, err := net.Dial("tcp", "127.0.0.1:"+strings.Trim(port, "\"\n"))
	require.NoError(t, err)

	wrote := make(chan string, 10)
	c := NewClient(tap{conn, wrote})
	defer c.Close()
	_, err = c.Bridge(t.Context(), "br0")
	require.NoError(t, err)
	<-wrote
	_, err = l.Vsctl(t.Context(), "set", "manager", ".", "inactivity_probe=1000") // of the connections that there are
	require.NoError(t, err)
	for range 2 { // the second comes only if the first was answered to the server's liking
		select {
		case answer := <-wrote:
			require.Contains(t, answer, `"id":"echo"`)
		case <-c.done:
			require.NoError(t, c.err)
		}
	}
	_, err = c.Bridge(t.Context(), "br0")
	require.NoError(t, err)
}
