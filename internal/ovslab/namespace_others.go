//go:build !linux

package ovslab

import (
	"errors"
	"fmt"
	"os"
)

// errNotLinux is what everything returns that needs a network namespace.
var errNotLinux = fmt.Errorf("%w: not on Linux: %w", ErrNoNamespaces, errors.ErrUnsupported)

func unshareNet() (*os.File, error) { return nil, errNotLinux }

func doInNet(*os.File, func() error) error { return errNotLinux }
