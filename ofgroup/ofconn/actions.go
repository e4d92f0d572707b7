package ofconn

import (
	"errors"
	"fmt"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// appendActions appends actions; too many of them are ErrTooLarge, as whatever else makes
// a message too long is.
func appendActions(b []byte, v ofgroup.Version, actions []ofgroup.Action) ([]byte, error) {
	b, err := ofgroup.AppendActions(b, v, actions...)
	if errors.Is(err, ofgroup.ErrTooLarge) {
		err = fmt.Errorf("%w: %w", ErrTooLarge, err)
	}
	return b, err
}
