//go:build !linux

package igmpconn

import (
	"context"
	"errors"
)

var errNoDevice = errors.New("not in the system's list")

// conn is where there are no packet sockets.
type conn struct{ name string }

func (*conn) open(string, Config) error           { return errors.ErrUnsupported }
func (*conn) read(context.Context) (Frame, error) { return Frame{}, errors.ErrUnsupported }
func (*conn) send([]byte) error                   { return errors.ErrUnsupported }
func (*conn) stats() (Stats, error)               { return Stats{}, errors.ErrUnsupported }
func (*conn) close() error                        { return errors.ErrUnsupported }
