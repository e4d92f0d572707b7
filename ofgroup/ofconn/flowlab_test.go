package ofconn_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	. "github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// dump is a list that the switch gives, without its heading and in a fixed order.
func dump(t *testing.T, lab *ovslab.Lab, what ...string) []string {
	t.Helper()
	out, err := lab.Ofctl(t.Context(), append(what, lab.Bridge())...)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if strings.Contains(lines[0], "reply") {
		lines = lines[1:]
	}
	slices.Sort(lines)
	return lines
}

func flows(t *testing.T, lab *ovslab.Lab) []string { return dump(t, lab, "dump-flows", "--no-stats") }

// addFlows has ovs-ofctl add flows through the relay, and returns the messages
// that it sent.
func addFlows(t *testing.T, lab *ovslab.Lab, relay *ovslab.Relay, v Version, lines ...string) [][]byte {
	t.Helper()
	relay.Reset()
	_, err := lab.OfctlInput(t.Context(), strings.Join(lines, "\n"), "-O", ofctlVersion[v], "add-flows", "unix:"+relay.Path(), "-")
	require.NoError(t, err)
	sent := relay.ToSwitch().Type(typeFlowMod)
	for _, m := range sent {
		numberless(m)
	}
	return sent
}

var ofctlVersion = map[Version]string{OpenFlow15: "OpenFlow15", OpenFlow13: "OpenFlow13"}

// withGroups adds what the flows of the layouts point at.
func withGroups(t *testing.T, lab *ovslab.Lab, c *rawClient) {
	t.Helper()
	for _, id := range []string{"1", "2", "3", "4", "1000", "1001"} {
		_, err := lab.Ofctl(t.Context(), "add-group", lab.Bridge(), "group_id="+id+",type=all,bucket=bucket_id:1,actions=output:1")
		require.NoError(t, err)
	}
	require.NoError(t, c.do(ofconn.MeterMod{ID: 12, Rate: 100, Burst: 20}))
}

// What our bytes install is what ovs-ofctl installs for the line that a person
// would type, and so is what it makes of our String. Where ovs-ofctl does not
// fold registers into larger ones, as it does in OpenFlow 1.5, the bytes are the
// same too.
func TestTheLayoutsAreInstalledAsOvsOfctlWould(t *testing.T) {
	for v := range prefixes {
		t.Run(v.String(), func(t *testing.T) {
			lab := newLab(t)
			relay, c := relayTo(t, lab), dialRaw(t, lab, v)
			withGroups(t, lab, c)
			for name, layout := range layouts {
				var typed, printed []string
				var ours []ofconn.Message
				for _, f := range layout {
					typed, printed, ours = append(typed, f.typed), append(printed, f.mod.String()), append(ours, f.mod)
				}
				deleteAll := ofconn.FlowMod{Command: ofconn.FlowDelete, Table: ofconn.AllTables}

				require.NoError(t, c.do(deleteAll))
				bytes := addFlows(t, lab, relay, v, typed...)
				want := flows(t, lab)
				require.Len(t, want, len(layout))

				require.NoError(t, c.do(deleteAll))
				require.NoError(t, c.do(ours...), name)
				require.Equal(t, want, flows(t, lab), name)

				require.NoError(t, c.do(deleteAll))
				addFlows(t, lab, relay, v, printed...)
				require.Equal(t, want, flows(t, lab), name)

				for i, f := range layout {
					if v == OpenFlow13 || !strings.Contains(f.mod.Match.String(), "reg") {
						requireMessage(t, bytes[i], f.mod, v, f.typed)
					}
				}
			}
		})
	}
}

// What a switch tells of its flows is what it was told, whatever form it tells it in.
func TestFlowsAreReadBackAsTheyWereAdded(t *testing.T) {
	forEachVersion(t, func(t *testing.T, lab *ovslab.Lab, s *ofconn.Session) {
		withGroups(t, lab, dialRaw(t, lab, s.Version()))
		for name, layout := range layouts {
			_, err := s.SendMessage(t.Context(), ofconn.FlowMod{Command: ofconn.FlowDelete, Table: ofconn.AllTables})
			require.NoError(t, err)
			for i, f := range layout {
				f.mod.Table, f.mod.Priority = uint8(i), uint16(i)
				_, err := s.SendMessage(t.Context(), f.mod)
				require.NoError(t, err)
			}
			flows, err := s.FlowStats(t.Context(), ofconn.FlowFilter{Table: ofconn.AllTables})
			require.NoError(t, err)
			require.Len(t, flows, len(layout))
			for _, f := range flows {
				mod := layout[f.Priority].mod
				m, err := ParseMatch(f.Match)
				require.NoError(t, err)
				require.Equal(t, mod.Match, m, name)
				require.True(t, f.Does(s.Version(), mod.Actions...), "%s: %v", name, mod)
				require.False(t, f.Does(s.Version(), append(mod.Actions, OutputGroup(1))...))
			}
		}
	})
}

// Lines for every command and flag are read back by ovs-ofctl to the same bytes.
func TestFlowModsPrintAsOvsOfctlReadsThem(t *testing.T) {
	lab := newLab(t)
	relay, c := relayTo(t, lab), dialRaw(t, lab, OpenFlow15)
	withGroups(t, lab, c)
	ours := ofconn.FlowMod{Cookie: layoutCookie, CookieMask: 0xffffffff << 32}
	mods := []ofconn.FlowMod{
		{Command: ofconn.FlowDelete, Table: ofconn.AllTables, Priority: aPriority, Cookie: ours.Cookie, CookieMask: ours.CookieMask},
		{Command: ofconn.FlowDelete, Table: 7, Priority: aPriority, Match: ip(group1)},
		{Command: ofconn.FlowDeleteStrict, Table: 7, Priority: 9, Match: ip(Is(VLANVID.Bits(0, 11), 0))},
		{Command: ofconn.FlowModify, Table: 7, Priority: aPriority, Match: ip(), Cookie: 3, Actions: actions(Output(1))},
		{Command: ofconn.FlowModifyStrict, Table: 7, Priority: 9, Match: ip(), Cookie: 1, CookieMask: 1},
		{
			Table: 7, Priority: 0xffff, Cookie: 9, CookieMask: 0xff, IdleTimeout: 1, HardTimeout: 0xffff, Flags: 0x1f,
			Match: NewMatch(Is(EthType, 0x88cc), Is(EthSrc, [6]byte{2, 0, 0, 0, 0, 1}), Is(InPort, PortLocal)),
			Actions: actions(Controller(PacketInAction{MaxLen: 128}), Controller(PacketInAction{ID: 7, MaxLen: 128}),
				Controller(PacketInAction{ID: 7, MaxLen: 128, UserData: []byte{0xa, 0xff}})),
		},
	}
	var lines []string
	for _, m := range mods {
		lines = append(lines, m.String())
	}
	sent := addFlows(t, lab, relay, OpenFlow15, lines...)
	require.Len(t, sent, len(mods))
	for i, m := range mods {
		requireMessage(t, sent[i], m, OpenFlow15, lines[i])
	}
	require.Equal(t, "FlowCommand(0x5) table=0,priority=0,actions=drop", ofconn.FlowMod{Command: 5}.String())
	require.Equal(t, "send_flow_rem,no_byte_counts,FlowFlags(0x40)", ofconn.FlowFlags(0x51).String())
}

func TestOnlyOurFlowsAreDeletedByTheirCookie(t *testing.T) {
	for v := range prefixes {
		lab := newLab(t)
		c := dialRaw(t, lab, v)
		withGroups(t, lab, c)
		mine := func(n uint64) ofconn.FlowMod {
			return ofconn.FlowMod{Table: 101, Priority: uint16(n), Cookie: layoutCookie | n, Match: ip(group1), Actions: actions(OutputGroup(1))}
		}
		require.NoError(t, c.do(mine(1), mine(2), ofconn.FlowMod{Table: 3, Cookie: 5}, ofconn.FlowMod{Table: 101, Cookie: 6}))

		require.NoError(t, c.do(ofconn.FlowMod{
			Command: ofconn.FlowDelete, Table: ofconn.AllTables, Cookie: layoutCookie, CookieMask: 0xffffffff << 32,
		}))

		require.Equal(t, []string{
			" cookie=0x5, table=3, priority=0 actions=drop", " cookie=0x6, table=101, priority=0 actions=drop",
		}, padded(flows(t, lab)))
	}
}

// padded gives every line of a dump the blank that trimming took from one.
func padded(lines []string) []string {
	for i, l := range lines {
		lines[i] = " " + strings.TrimSpace(l)
	}
	slices.Sort(lines)
	return lines
}

// The switch wants to know that there is a tag before it takes one off, so a priority
// tag and none at all cannot share a flow that does.
func TestAPopNeedsATagInTheMatch(t *testing.T) {
	c := dialRaw(t, newLab(t), OpenFlow15)
	pop := func(conditions ...Condition) error {
		return c.do(ofconn.FlowMod{Match: ip(conditions...), Actions: actions(PopVLAN(), Output(1))})
	}
	require.NoError(t, pop(IsVLAN(0)))
	require.NoError(t, pop(Is(VLANVID.Bits(12, 12), 1)))
	require.ErrorContains(t, pop(), "OFPBAC_MATCH_INCONSISTENT")
	require.ErrorContains(t, pop(Is(VLANVID.Bits(0, 11), 0)), "OFPBAC_MATCH_INCONSISTENT")
}

func TestMetersAreInstalledAsOvsOfctlWould(t *testing.T) {
	for v := range prefixes {
		lab := newLab(t)
		c := dialRaw(t, lab, v)
		mods := []ofconn.MeterMod{{ID: 11, Rate: 100, Burst: 20}, {ID: 12, Unit: ofconn.KilobitsPerSecond, Rate: 1000}}
		for _, m := range mods {
			_, err := lab.Ofctl(t.Context(), "add-meter", lab.Bridge(), strings.TrimPrefix(m.String(), "add "))
			require.NoError(t, err)
		}
		want := dump(t, lab, "dump-meters")
		require.NoError(t, c.do(ofconn.MeterMod{Command: ofconn.MeterDelete, ID: ofconn.AllMeters}))
		require.NotEqual(t, want, dump(t, lab, "dump-meters"))

		require.NoError(t, c.do(mods[0], mods[1]))
		require.Equal(t, want, dump(t, lab, "dump-meters"))

		mods[0].Command, mods[0].Rate = ofconn.MeterModify, 200
		require.NoError(t, c.do(mods[0]))
		require.Contains(t, strings.Join(dump(t, lab, "dump-meters"), "\n"), "rate=200 burst_size=20")
		var refused *SwitchError
		require.ErrorAs(t, c.do(mods[1]), &refused)
		require.ErrorContains(t, refused, "OFPMMFC_METER_EXISTS")
		require.NoError(t, c.do(ofconn.MeterMod{Command: ofconn.MeterDelete, ID: 9}), "one that is not there")
	}
}
