package ofconn

import (
	"context"
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// ask sends a multipart request and returns the joined bodies of the answer. what names
// it in errors.
func (s *Session) ask(ctx context.Context, what string, kind uint16, m Message) ([]byte, error) {
	msg, err := m.AppendMessage(nil, s.version)
	if err != nil {
		return nil, ofgroup.NotSent(err)
	}
	c := newCall(msg, openflow.TypeMultipartReply)
	c.part = kind
	if err := s.do(ctx, c); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return c.reply, nil
}

// onSession calls f with the live session of c.
func onSession[T any](c *Conn, f func(*Session) (T, error)) (T, error) {
	s, err := c.Session()
	if err != nil {
		var none T
		return none, err
	}
	return f(s)
}
