//go:build !linux

package statefile

import (
	"errors"
	"fmt"
	"os"
)

// Lock is not to be had here.
func Lock(path string) (*os.File, error) {
	return nil, fmt.Errorf("%s: lock: %w", path, errors.ErrUnsupported)
}
