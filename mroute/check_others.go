//go:build !linux

package mroute

import (
	"context"
	"errors"
)

func observe(context.Context, CheckConfig) (*observations, error) {
	return &observations{}, errors.ErrUnsupported
}
