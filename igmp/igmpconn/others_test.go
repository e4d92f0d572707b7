//go:build !linux

package igmpconn_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/igmp/igmpconn"
)

func TestElsewhereItIsUnsupported(t *testing.T) {
	_, err := igmpconn.Listen("eth0", igmpconn.Config{})
	require.ErrorIs(t, err, errors.ErrUnsupported)
}
