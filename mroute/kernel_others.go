//go:build !linux

package mroute

import (
	"errors"
	"os"
)

func openKernel(Config) (kernel, error) { return nil, errors.ErrUnsupported }

func adoptKernel(*os.File, Config) (kernel, error) { return nil, errors.ErrUnsupported }
