//go:build !linux

package mroute

import "errors"

func openLinks() (linkSource, error) { return nil, errors.ErrUnsupported }
