package ofconn_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

func TestARoleReplyIsReadInBothVersions(t *testing.T) {
	for _, version := range []string{"06", "04"} {
		r, err := ofconn.ParseRoleReply(spaced(version + "190018 00000005 00000002 00000000 0123456789abcdef"))
		require.NoError(t, err)
		require.Equal(t, ofconn.RoleReply{Role: ofconn.RoleMaster, Generation: 0x0123456789abcdef}, r)
	}
	_, err := ofconn.ParseRoleReply(spaced("06180018 00000005 00000002 00000000 0123456789abcdef"))
	require.ErrorIs(t, err, ofgroup.ErrMalformed, "a request is no reply")
}

func TestOnlyAStaleGenerationIsStale(t *testing.T) {
	stale := &ofgroup.SwitchError{Type: 11, Code: 0}
	require.True(t, ofconn.IsStale(fmt.Errorf("role: %w", stale)))
	require.False(t, ofconn.IsStale(&ofgroup.SwitchError{Type: 11, Code: 2}))
	require.False(t, ofconn.IsStale(&ofgroup.SwitchError{Type: 6, Code: 0}))
	require.False(t, ofconn.IsStale(errors.New("stale")))
	require.False(t, ofconn.IsStale(nil))
}

func TestRolesHaveNames(t *testing.T) {
	require.Equal(t, "nochange equal master slave Role(0x4)", fmt.Sprint(
		ofconn.RoleNoChange, ofconn.RoleEqual, ofconn.RoleMaster, ofconn.RoleSlave, ofconn.Role(4)))
}
