//go:build !unix

package ofconn

import "net"

// direct would write to a socket without waiting; here there is no such way.
type direct struct{}

func newDirect(net.Conn) *direct { return nil }

func (*direct) write([]byte) int { return 0 }
