//go:build !linux

package mroute

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOtherSystemsSayThatItIsUnsupported(t *testing.T) {
	_, err := Open(Config{})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorIs(t, NewJoiner().Set(Membership{Interface: 1, Group: documented.Group}, AnySource()), errors.ErrUnsupported)
}
