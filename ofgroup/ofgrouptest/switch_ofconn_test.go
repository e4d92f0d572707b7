package ofgrouptest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// The switch and the connection of this module understand each other's bundles.
func TestABundleOfOfconnIsAllOrNothing(t *testing.T) {
	sw := ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
	t.Cleanup(func() { require.NoError(t, sw.Close()) })
	s, err := ofconn.Open(t.Context(), ofconn.Config{Dial: sw.Dial})
	require.NoError(t, err)
	defer s.Close()
	m, err := ofgroup.New(7, ofgroup.All).AddBuckets(ofgroup.NewBucket(ofgroup.Output(1))).Mod(ofgroup.Add, ofgroup.OpenFlow15)
	require.NoError(t, err)
	flow := ofconn.FlowMod{Actions: []ofgroup.Action{ofgroup.OutputGroup(7)}}

	require.NoError(t, s.Bundle(t.Context(), ofconn.GroupMod{Mod: m}, flow))
	require.Equal(t, 1, sw.FlowsTo(7))

	err = s.Bundle(t.Context(), flow, ofconn.GroupMod{Mod: m})
	var bad *ofconn.BundleError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, 1, bad.Index)
	require.ErrorIs(t, err, ofgroup.ErrGroupExists)
}
