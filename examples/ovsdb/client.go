package ovsdb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// timeout is what a call has whose context sets no deadline, and how long
	// the server may leave a message unread.
	timeout = 10 * time.Second
	// maxMessage bounds the memory that a server can make us use. A switch of
	// 10,000 ports answers in 4 MiB.
	maxMessage = 16 << 20
)

// Client is a connection to a database server. Its methods may be called from
// any number of goroutines.
type Client struct {
	conn    net.Conn
	out     chan []byte // to the writer
	lastID  atomic.Uint64
	answers sync.Map      // request ID → chan message with room for its one answer
	changed chan struct{} // has room for one note; see Watch

	end  sync.Once
	done chan struct{}
	err  error // why, to be read after done
	wg   sync.WaitGroup
}

// message is any message of JSON-RPC 1.0: a request or notification, which has
// a method, or an answer.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// Dial connects to the server at address, unix:PATH or tcp:HOST:PORT. ctx bounds
// the dialling only. An error wraps a *net.AddrError for another kind of
// address, else it is the network's.
func Dial(ctx context.Context, address string) (*Client, error) {
	network, where, _ := strings.Cut(address, ":")
	if network != "unix" && network != "tcp" {
		return nil, fmt.Errorf("ovsdb: %w", &net.AddrError{Err: "neither unix:PATH nor tcp:HOST:PORT", Addr: address})
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, where)
	if err != nil {
		return nil, fmt.Errorf("ovsdb: %w", err)
	}
	return NewClient(conn), nil
}

// NewClient is a client on a connection made elsewhere, over TLS perhaps. It
// owns conn, and has two goroutines that end with Close.
func NewClient(conn net.Conn) *Client { return newClient(conn, maxMessage) }

func newClient(conn net.Conn, bound int64) *Client {
	c := &Client{conn: conn, out: make(chan []byte), changed: make(chan struct{}, 1), done: make(chan struct{})}
	c.wg.Go(func() { c.read(bound) })
	c.wg.Go(c.write)
	return c
}

// Close closes the connection, ends all calls, and returns when nothing of the
// client runs any more. It may be called again.
func (c *Client) Close() error {
	c.fail(net.ErrClosed)
	c.wg.Wait()
	return nil
}

// fail ends the connection. Only the first reason counts.
func (c *Client) fail(err error) {
	c.end.Do(func() {
		c.err = fmt.Errorf("%w: %w", ErrConnLost, err)
		close(c.done)
		c.conn.Close()
	})
}

// bounded makes every call end.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, timeout)
}

// call sends a request and returns the result that the server answers, or its
// refusal.
func (c *Client) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	id, answer := c.lastID.Add(1), make(chan message, 1)
	c.answers.Store(id, answer)
	defer c.answers.Delete(id)
	if err := c.send(ctx, map[string]any{"id": id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	select {
	case m := <-answer:
		return m.Result, refusal(m.Error)
	case <-c.done:
		return nil, c.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// send hands a message to the writer: so a call can end in the middle of a
// write without leaving half a message on the connection.
func (c *Client) send(ctx context.Context, m any) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	select {
	case c.out <- text:
		return nil
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Client) write() {
	for {
		select {
		case text := <-c.out:
			c.conn.SetWriteDeadline(time.Now().Add(timeout)) // fails only where Write does
			if _, err := c.conn.Write(text); err != nil {
				c.fail(err)
				return
			}
		case <-c.done:
			return
		}
	}
}

// read takes messages until the connection ends. Only JSON's own braces tell
// where one ends: after a fault there is no next message to be found.
func (c *Client) read(bound int64) {
	in := &io.LimitedReader{R: c.conn}
	decoder := json.NewDecoder(in)
	var err error
	for err == nil {
		in.N = bound
		var text json.RawMessage
		err = decoder.Decode(&text)
		switch {
		case err == nil:
			err = c.handle(text)
		case in.N <= 0:
			err = fmt.Errorf("%w: more than %d bytes", ErrMalformed, bound)
		case errors.As(err, new(*json.SyntaxError)):
			err = fmt.Errorf("%w: %w", ErrMalformed, err)
		}
	}
	c.fail(err)
}

// handle passes an answer on, and answers the server's question whether we are
// alive (RFC 7047 section 4.1.11). There is no other request, and of the
// notifications that of a change is the only one we ask for.
func (c *Client) handle(text []byte) error {
	var m message
	if err := json.Unmarshal(text, &m); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if m.Method == "echo" {
		return c.send(context.Background(), map[string]any{"id": m.ID, "result": m.Params, "error": nil})
	}
	if m.Method == "update" {
		c.noteChange()
	}
	var id uint64
	if m.Method == "" && json.Unmarshal(m.ID, &id) != nil {
		return fmt.Errorf("%w: an answer to nobody", ErrMalformed)
	}
	if answer, ok := c.answers.LoadAndDelete(id); ok { // its call may have ended
		answer.(chan message) <- m
	}
	return nil
}
