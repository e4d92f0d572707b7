package ovsdb

import (
	"context"
	"fmt"
	"slices"
)

// watchID names our one monitor in the server's notifications.
const watchID = "bridges"

// Watch has the server tell from now on whenever the settings that Bridge
// returns may have changed, of whatever bridge; AwaitChange hears it. Once is
// enough for a Client.
func (c *Client) Watch(ctx context.Context) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	tables := map[string]any{}
	for table, columns := range bridgeColumns() {
		columns = slices.DeleteFunc(columns, func(c string) bool { return c == "_uuid" }) // it never changes, and is refused
		// What is there already is no change (RFC 7047 section 4.1.5).
		tables[table] = op{"columns": columns, "select": op{"initial": false}}
	}
	if _, err := c.call(ctx, "monitor", []any{"Open_vSwitch", watchID, tables}); err != nil {
		return fmt.Errorf("ovsdb: watch: %w", err)
	}
	return nil
}

// AwaitChange returns nil when something has changed since it last did, and an
// error when ctx or the connection has ended: it has no time limit of its own.
// Any number of changes before a call are one. One goroutine at a time may wait.
func (c *Client) AwaitChange(ctx context.Context) error {
	select {
	case <-c.changed:
		return nil
	default: // a change that came before the end still counts
	}
	select {
	case <-c.changed:
		return nil
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// noteChange never waits: one note is enough for any number of changes.
func (c *Client) noteChange() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}
