package ofconn_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
)

func TestARefusalComesBackFromTheSameCallWithOurBytes(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	relay := relayTo(t, lab)
	s := open(t, relay.Dial)
	_, err := lab.Ofctl(t.Context(), "add-group", lab.Bridge(), "group_id=5,type=all,bucket=output:1")
	require.NoError(t, err)
	add, err := ports(5, 2, 3).Mod(ofgroup.Add, s.Version())
	require.NoError(t, err)

	receipt, err := s.Send(t.Context(), add)

	require.ErrorIs(t, err, ofgroup.ErrGroupExists)
	require.NotErrorIs(t, err, ofgroup.ErrNotSent)
	require.False(t, receipt.Confirmed)
	var refused *ofgroup.SwitchError
	require.ErrorAs(t, err, &refused)
	want, err := add.MarshalBinary()
	require.NoError(t, err)
	binary.BigEndian.PutUint32(want[4:], receipt.XID)
	require.Equal(t, want, refused.Data, "the switch quotes the whole message")
	require.Equal(t, relay.ToSwitch().Type(typeGroupMod)[0], refused.Data)
	require.EqualValues(t, 1, s.Stats().Refused)

	requireHeld(t, lab, s, 5, []int{1})
	modify, err := ports(5, 2, 3).Mod(ofgroup.Modify, s.Version())
	require.NoError(t, err)
	receipt, err = s.Send(t.Context(), modify)
	require.NoError(t, err, "the stream still works")
	require.True(t, receipt.Confirmed)
	requireHeld(t, lab, s, 5, []int{2, 3})
}

func TestARefusalAmongManyHitsOnlyItsOwnCall(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	s := open(t, lab.Dial)
	const n = 200
	errs := make(chan error, n)
	for i := range n {
		go func() {
			cmd := ofgroup.Modify // of a group that is not there
			if i%2 == 0 {
				cmd = ofgroup.Add
			}
			m, err := ports(ofgroup.ID(i), 1).Mod(cmd, s.Version())
			if err == nil {
				_, err = s.Send(t.Context(), m)
			}
			errs <- err
		}()
	}
	refused := 0
	for range n {
		if err := <-errs; err != nil {
			require.ErrorIs(t, err, ofgroup.ErrUnknownGroup)
			refused++
		}
	}
	require.Equal(t, n/2, refused)
	require.Zero(t, s.Stats().Pending)
}
