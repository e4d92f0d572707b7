package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/gopacket/gopacket/layers"

	"github.com/ofmcast/ofmcast/examples/internal/capture"
	"github.com/ofmcast/ofmcast/igmp/igmpconn"
)

// live shows an interface until ctx ends, each packet at once. What this host sends is shown too.
func (d *dump) live(ctx context.Context, o options, out *bufio.Writer, stderr io.Writer) error {
	conn, err := igmpconn.Listen(o.iface, igmpconn.Config{Outgoing: true, All: o.all})
	if err != nil {
		return err
	}
	fmt.Fprintln(stderr, "igmpdump: reading", o.iface)
	err = d.readAll(ctx, conn, out, stderr)
	if s, fault := conn.Stats(); fault == nil && s.Dropped > 0 {
		fmt.Fprintf(stderr, "igmpdump: %d packets came faster than they could be read\n", s.Dropped)
	}
	return errors.Join(err, conn.Close())
}

func (d *dump) readAll(ctx context.Context, conn *igmpconn.Conn, out *bufio.Writer, stderr io.Writer) error {
	for {
		f, err := conn.Read(ctx)
		switch {
		case ctx.Err() != nil:
			return nil // as asked for by a signal
		case errors.Is(err, igmpconn.ErrDown):
			fmt.Fprintln(stderr, err)
			continue
		case err != nil:
			return err
		}
		err = d.frame(d.shown+1, capture.Frame{At: f.At, Data: f.Data, Len: f.Len, Link: layers.LinkTypeEthernet})
		if err = errors.Join(err, out.Flush()); err != nil {
			return err
		}
	}
}
