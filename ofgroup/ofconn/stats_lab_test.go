package ofconn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

func TestARealSwitchTellsWhatItCounted(t *testing.T) {
	forEachVersion(t, func(t *testing.T, lab *ovslab.Lab, s *ofconn.Session) {
		ctx := t.Context()
		require.NoError(t, commit(t, s, 7))
		for _, m := range []ofconn.Message{
			ofconn.MeterMod{ID: 5, Rate: 100},
			ofconn.FlowMod{Table: 1, Priority: 9, Cookie: 0x11, Match: mcast, Actions: actions(ofgroup.Meter(5), ofgroup.OutputGroup(7))},
			ofconn.FlowMod{Priority: 1, Cookie: 0x22, Match: ip(), Actions: actions(ofgroup.Resubmit(1))},
		} {
			_, err := s.SendMessage(ctx, m)
			require.NoError(t, err)
		}
		const frames = 4
		for range frames {
			receive(t, lab, 2, reportFrame)
		}
		all := ofconn.FlowFilter{Table: ofconn.AllTables}
		eventually(t, "the datapath is asked now and then", func() bool {
			f, err := s.FlowTotals(ctx, all)
			return err == nil && f.Packets == 2*frames
		})

		flows, err := s.FlowStats(ctx, ofconn.FlowFilter{Table: ofconn.AllTables, Cookie: 0x10, CookieMask: 0xf0})
		require.NoError(t, err)
		require.Len(t, flows, 1, "by its cookie")
		require.EqualValues(t, 0x11, flows[0].Cookie)
		require.EqualValues(t, []uint64{frames, frames * 60}, []uint64{flows[0].Packets, flows[0].Bytes})
		flows, err = s.FlowStats(ctx, ofconn.FlowFilter{Match: ip()})
		require.NoError(t, err)
		require.Len(t, flows, 1, "by its table")
		totals, err := s.FlowTotals(ctx, ofconn.FlowFilter{Table: ofconn.AllTables, Match: mcast})
		require.NoError(t, err)
		require.Equal(t, ofconn.FlowTotals{Packets: frames, Bytes: frames * 60, Flows: 1}, totals)

		groups, err := s.GroupStats(ctx, ofgroup.AllGroups)
		require.NoError(t, err)
		require.Len(t, groups, 1)
		require.Equal(t, ofgroup.ID(7), groups[0].ID)
		require.EqualValues(t, frames, groups[0].Packets)
		none, err := s.GroupStats(ctx, 8)
		require.NoError(t, err)
		require.Empty(t, none)
		features, err := s.GroupFeatures(ctx)
		require.NoError(t, err)
		require.True(t, features.Has(ofgroup.FastFailover))

		ports, err := s.PortStats(ctx, 2)
		require.NoError(t, err)
		require.Len(t, ports, 1)
		require.EqualValues(t, []uint64{frames, frames * 60}, []uint64{ports[0].RxPackets, ports[0].RxBytes})
		ports, err = s.PortStats(ctx, ofgroup.PortAny)
		require.NoError(t, err)
		require.Len(t, ports, 6)

		meters, err := s.MeterStats(ctx, ofconn.AllMeters)
		require.NoError(t, err)
		require.Len(t, meters, 1)
		require.EqualValues(t, frames, meters[0].Packets)
		_, err = s.MeterStats(ctx, 6)
		require.ErrorContains(t, err, "OFPMMFC_UNKNOWN_METER")
	})
}

// Five thousand flows come in many messages.
func TestAnAnswerInManyPartsIsRead(t *testing.T) {
	forEachVersion(t, func(t *testing.T, lab *ovslab.Lab, s *ofconn.Session) {
		const flows = 5000
		messages := make([]ofconn.Message, flows)
		for i := range messages {
			messages[i] = ofconn.FlowMod{Match: ip(ofgroup.Is(ofgroup.PktMark, uint32(i))), Actions: actions(ofgroup.Output(1))}
		}
		require.NoError(t, s.Bundle(t.Context(), messages...))
		all, err := s.FlowStats(t.Context(), ofconn.FlowFilter{})
		require.NoError(t, err)
		require.Len(t, all, flows)

		small, err := ofconn.Open(t.Context(), ofconn.Config{Dial: lab.Dial, Versions: []ofgroup.Version{s.Version()}, MaxReply: 100_000})
		require.NoError(t, err)
		defer small.Close()
		_, err = small.FlowStats(t.Context(), ofconn.FlowFilter{})
		require.ErrorIs(t, err, ofconn.ErrReplyTooLarge)
		require.NoError(t, small.Barrier(t.Context()), "the connection lives on")
	})
}
