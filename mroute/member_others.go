//go:build !linux

package mroute

import "errors"

func openMemberSocket() (memberSocket, error) { return nil, errors.ErrUnsupported }
