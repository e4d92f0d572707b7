package ofconn

import (
	"context"
	"fmt"
)

// configure has the switch treat this connection as Config.Events says, or whoever
// spoke last on an earlier one.
func (s *Session) configure(ctx context.Context) error {
	for _, m := range s.cfg.lasting.settings.inOrder() {
		if _, err := s.SendMessage(ctx, m); err != nil {
			return fmt.Errorf("%T: %w", m, err)
		}
	}
	return nil
}

// takeRole gives the session the role that was last asked for: unless Config says
// otherwise that of master, from the beginning.
func (c *Conn) takeRole(ctx context.Context, s *Session) error {
	switch r := c.cfg.lasting.settings.wantedRole(); r {
	case RoleNoChange:
		return nil
	case RoleMaster:
		return c.fence(ctx, s)
	default:
		now, err := s.Role(ctx, RoleRequest{})
		if err == nil {
			_, err = s.Role(ctx, RoleRequest{Role: r, Generation: now.Generation})
		}
		return err
	}
}

// fenceTries is how often the generation is asked for when others raise it at
// the same time.
const fenceTries = 5

// fence takes the role of master, which makes a slave of the master before: of
// the predecessor, whose messages Open vSwitch may still have in line and then
// refuses.
func (c *Conn) fence(ctx context.Context, s *Session) error {
	for try := 1; ; try++ {
		now, err := s.Role(ctx, RoleRequest{})
		if err != nil {
			return err
		}
		c.generation = nextGeneration(now.Generation, c.generation)
		_, err = s.Role(ctx, RoleRequest{Role: RoleMaster, Generation: c.generation})
		if err == nil || try == fenceTries || !IsStale(err) {
			return err
		}
	}
}

// nextGeneration is the one after the switch's, and after the last that was
// asked for, which the switch may not have seen yet: it could else be obeyed
// after this one. Generations wrap (OpenFlow 1.5.1, 6.3.6); both numbers may be
// NoGeneration, which is followed by 0.
func nextGeneration(held, asked uint64) uint64 {
	next := held + 1
	if asked != NoGeneration && int64(asked+1-next) > 0 {
		next = asked + 1
	}
	return next
}
