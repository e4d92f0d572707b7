//go:build !linux

package mroute

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestOtherSystemsSayThatItIsUnsupported(t *testing.T) {
	_, err := Open(Config{})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	_, err = FromFile(os.Stdin, Config{})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorIs(t, NewJoiner().Set(Membership{Interface: 1, Group: documented.Group}, AnySource()), errors.ErrUnsupported)
}
