//go:build !linux

package mroute

import "errors"

func openKernel(Config) (kernel, error) { return nil, errors.ErrUnsupported }
