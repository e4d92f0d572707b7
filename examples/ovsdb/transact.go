package ovsdb

import (
	"context"
	"encoding/json"
	"fmt"
)

// op is an operation of a transaction (RFC 7047 section 5.2).
type op map[string]any

// condition is met by rows for which all of its [column, function, value] hold.
type condition [][3]any

func named(name string) condition { return condition{{"name", "==", name}} }

func selectOp(table string, where condition, columns ...string) op {
	return op{"op": "select", "table": table, "where": where, "columns": columns}
}

// waitOp delays a transaction until a column, of the one row that there is, has
// the value or has another one; after some milliseconds it is refused.
func waitOp(milliseconds int, table string, where condition, column, until string, value any) op {
	return op{"op": "wait", "timeout": milliseconds, "table": table, "where": where,
		"columns": []string{column}, "until": until, "rows": []op{{column: value}}}
}

// result is what one operation brought.
type result struct {
	Rows    json.RawMessage `json:"rows"`
	Error   string          `json:"error"`
	Details string          `json:"details"`
}

// transact has the server carry out all ops or none, and returns a result for
// each. A refusal is a *ServerError.
func (c *Client) transact(ctx context.Context, ops ...op) ([]result, error) {
	params := []any{"Open_vSwitch"}
	for _, o := range ops {
		params = append(params, o)
	}
	text, err := c.call(ctx, "transact", params)
	if err != nil {
		return nil, err
	}
	var results []result
	if err := json.Unmarshal(text, &results); err != nil {
		return nil, fmt.Errorf("%w: results: %w", ErrMalformed, err)
	}
	// After a refused operation there are nulls, and a refused commit is one
	// more result than there are operations (RFC 7047 section 4.1.3).
	for i, r := range results {
		if r.Error != "" {
			return nil, &ServerError{Op: i, Code: r.Error, Details: r.Details}
		}
	}
	if len(results) != len(ops) {
		return nil, fmt.Errorf("%w: %d results of %d operations", ErrMalformed, len(results), len(ops))
	}
	return results, nil
}

// refusal is the error of a whole answer, worded like that of an operation, or
// anything else that is not null.
func refusal(text json.RawMessage) error {
	if len(text) == 0 || string(text) == "null" {
		return nil
	}
	var r result
	if json.Unmarshal(text, &r) != nil || r.Error == "" {
		r.Error = string(text)
	}
	return &ServerError{Op: -1, Code: r.Error, Details: r.Details}
}

// rows decodes what a select found.
func rows[T any](r result) ([]T, error) {
	var out []T
	if err := json.Unmarshal(r.Rows, &out); err != nil {
		return nil, fmt.Errorf("%w: rows: %w", ErrMalformed, err)
	}
	return out, nil
}

// row is rows for a select that finds exactly one.
func row[T any](r result) (one T, err error) {
	all, err := rows[T](r)
	switch {
	case err != nil:
		return one, err
	case len(all) != 1:
		return one, fmt.Errorf("%w: %d rows instead of one", ErrMalformed, len(all))
	}
	return all[0], nil
}
