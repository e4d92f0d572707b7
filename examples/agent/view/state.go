// Package view is what an agent shows of itself: one JSON document, made of the live packages, which
// pages, terminals and scripts read. Reading it changes nothing.
package view

import (
	"net/netip"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/policy"
)

// Format is the version of State's JSON. It changes when a field is taken away or means something else;
// new fields come without it.
const Format = 1

// State is an agent at one moment. Its lists are shared by all who have it, and are not to be changed.
//
// In JSON times are RFC 3339, durations are seconds with a fraction, and null is a duration without
// end. Lists are never null. Texts that others have chosen, such as the names of ports, come as they
// are: whoever prints them has to escape them.
type State struct {
	Format  int       `json:"format"`
	At      time.Time `json:"at"`
	Started time.Time `json:"started"`
	Bridge  string    `json:"bridge"`

	Switch  Switch  `json:"switch"`
	Querier Querier `json:"querier"`
	Totals  Totals  `json:"totals"`

	// Groups have members. Of very many only the first ones are listed: the others are counted.
	Groups        []Group `json:"groups"`
	GroupsOmitted int     `json:"groups_omitted"`
	// Routes are the streams that the kernel's routing knows.
	Routes        []Route `json:"routes"`
	RoutesOmitted int     `json:"routes_omitted"`
	Ports         []Port  `json:"ports"`
	PortsOmitted  int     `json:"ports_omitted"`
	Sinks         []Sink  `json:"sinks"`

	// Rates has a point a second, the newest last.
	Rates []Rate `json:"rates"`
	// Events are the newest ones, the newest last.
	Events []Event `json:"events"`
	// Warnings are what somebody should look at.
	Warnings []Warning `json:"warnings"`
	// Policy is the one in force, but for its static joins, which are members. Its rules are numbered
	// from 1 in what is said of them.
	Policy *policy.Policy `json:"policy,omitempty"`
}

// Switch is the connection to the bridge.
type Switch struct {
	Connected bool `json:"connected"`
	// Cause is why not.
	Cause string `json:"cause,omitempty"`
	// Connections is how often it was made since the agent's start.
	Connections uint64 `json:"connections"`
	// GroupMods is how many GROUP_MODs memberships have caused.
	GroupMods uint64 `json:"group_mods"`
	// PacketInsDropped are IGMP packets for which there was no room.
	PacketInsDropped uint64 `json:"packet_ins_dropped"`
}

// Querier is who asks the hosts what they want.
type Querier struct {
	// Self says that it is the agent.
	Self bool `json:"self"`
	// Elected is the querier's address; 0.0.0.0 is a switch without one.
	Elected  string  `json:"elected"`
	Interval Seconds `json:"interval"`
	Response Seconds `json:"response"`
	// Membership is how long a host that has fallen silent stays a member.
	Membership Seconds `json:"membership"`
	Sent       uint64  `json:"sent"`
}

// Totals are what there is now, and below that counters since the agent's start.
type Totals struct {
	Groups      int `json:"groups"`
	Members     int `json:"members"`
	Sources     int `json:"sources"`
	Unconfirmed int `json:"unconfirmed"`

	Reports   uint64 `json:"reports"`
	Joins     uint64 `json:"joins"`
	Leaves    uint64 `json:"leaves"`
	Expiries  uint64 `json:"expiries"`
	Removals  uint64 `json:"removals"`
	Refilters uint64 `json:"refilters"`

	RefusedInvalid uint64 `json:"refused_invalid"`
	RefusedLimit   uint64 `json:"refused_limit"`
	RefusedRemoved uint64 `json:"refused_removed"`
	// Denied are reports for what the policy does not allow.
	Denied uint64 `json:"denied"`
}

// Group is a multicast group that has members.
type Group struct {
	Group   netip.Addr `json:"group"`
	VLAN    uint32     `json:"vlan,omitempty"`
	Rows    []Row      `json:"rows"`
	Members []Member   `json:"members"`
	// MembersOmitted are those that are not listed.
	MembersOmitted int `json:"members_omitted,omitempty"`
}

// Row is an OpenFlow group that stands for a multicast group on the switch: that for one source, or that
// for any other.
type Row struct {
	Source    string  `json:"source,omitempty"` // empty: any
	OpenFlow  uint32  `json:"openflow_group"`
	Packets   uint64  `json:"packets"`
	PerSecond float64 `json:"packets_per_second"`
}

// Member is a port that wants a group, for one owner; or another node, which has port 0 and the name
// "node 192.0.2.7".
type Member struct {
	Port    uint32   `json:"port"`
	Name    string   `json:"name"`
	Owner   string   `json:"owner,omitempty"` // "static", "remote node7"; empty: learnt from hosts
	Mode    string   `json:"mode"`            // INCLUDE or EXCLUDE
	Sources []Source `json:"sources"`
	// IGMP is the version of the oldest host behind the port that counts for this group.
	IGMP uint8   `json:"igmp"`
	Age  Seconds `json:"age"`
	Left Seconds `json:"left"`
	// Leaving says that somebody has left, and that the others were asked.
	Leaving bool `json:"leaving,omitempty"`
	// Unconfirmed is what an earlier agent knew, and no host has confirmed yet.
	Unconfirmed bool `json:"unconfirmed,omitempty"`
}

// Named are the sources that make the filter: those that are wanted in INCLUDE mode, and the blocked ones
// in EXCLUDE mode, where the others are wanted like any.
func (m Member) Named() []netip.Addr {
	var named []netip.Addr
	for _, s := range m.Sources {
		if m.Mode == "INCLUDE" || s.Left == 0 {
			named = append(named, s.Addr)
		}
	}
	return named
}

// Wants says whether the filter lets packets of a source pass. The zero Addr is a source that nobody names.
func (m Member) Wants(source netip.Addr) bool {
	return slices.Contains(m.Named(), source) == (m.Mode == "INCLUDE")
}

// Source is one of a member's filter. In EXCLUDE mode one with nothing left is blocked.
type Source struct {
	Addr netip.Addr `json:"addr"`
	Left Seconds    `json:"left"`
}

// Route is a stream in the kernel's routing.
type Route struct {
	Source netip.Addr `json:"source"`
	Group  netip.Addr `json:"group"`
	In     string     `json:"in"`
	Out    []string   `json:"out"` // empty: nobody wants it
	// Packets counts one once more for each interface that it leaves by and that the agent has joined the group at.
	Packets   uint64  `json:"packets"`
	PerSecond float64 `json:"packets_per_second"`
	WrongIf   uint64  `json:"wrong_interface"`
	Age       Seconds `json:"age"`
	Idle      Seconds `json:"idle"`
	// Pending says that the kernel has refused it so far.
	Pending bool `json:"pending,omitempty"`
	// Members says that the group has members on the bridge.
	Members bool `json:"members"`
}

// Port is a port of the bridge.
type Port struct {
	Number uint32 `json:"number"`
	Name   string `json:"name"`
	Role   string `json:"role"`
	// VLANs are the port's settings; empty: it has none. Carries are those of the VLANs that are served
	// which go to the port; VLAN 0 is that of packets without a tag.
	VLANs   string      `json:"vlans,omitempty"`
	Carries []VLANRange `json:"carries"`
	Down    bool        `json:"down,omitempty"`
	// Drained says that its memberships were ended, and none is taken.
	Drained bool `json:"drained,omitempty"`
	Groups  int  `json:"groups"`
	// IGMP is the version of the oldest host that counts: the compatibility mode. 0: nobody was heard.
	IGMP uint8 `json:"igmp"`
	// V1 and V2 are how long an IGMPv1 and an IGMPv2 host is taken to be there.
	V1 Seconds `json:"v1_left"`
	V2 Seconds `json:"v2_left"`
	// Hosts are those behind the port that were heard, the newest first.
	Hosts []Host `json:"hosts"`
	// LastQuery is when hosts here were last asked, LastAnswer when one was last heard.
	LastQuery  *time.Time `json:"last_query"`
	LastAnswer *time.Time `json:"last_answer"`
	// Denied are reports that the policy did not allow, Dropped packets for which there was no room.
	Denied  uint64 `json:"denied"`
	Dropped uint64 `json:"dropped"`
}

// Host is one behind a port. The membership is the port's, so this is information.
type Host struct {
	MAC  string     `json:"mac"`
	Addr netip.Addr `json:"addr"`
	// IGMP is the version of its last report.
	IGMP uint8     `json:"igmp"`
	Last time.Time `json:"last"`
}

// Sink is what memberships are pushed to: the switch, the kernel's routes.
type Sink struct {
	Name string `json:"name"`
	// Pending are groups that it is still to be told about, Failing those of them that it has refused.
	Pending int `json:"pending"`
	Failing int `json:"failing"`
	// Running is for how long its oldest call runs; a long time means that it is stuck.
	Running Seconds `json:"running"`
	Syncs   uint64  `json:"syncs"`
	Errors  uint64  `json:"errors"`
	Retries uint64  `json:"retries"`
	// Last and Longest are how long calls took.
	Last        Seconds    `json:"last"`
	Longest     Seconds    `json:"longest"`
	LastError   string     `json:"last_error,omitempty"`
	LastErrorAt *time.Time `json:"last_error_at"`
}

// Rate is how much happened in one second.
type Rate struct {
	At time.Time `json:"at"`
	// Changes are members that came, went or changed their filter.
	Changes float64 `json:"changes"`
	// GroupMods are the messages that the switch got because of such changes.
	GroupMods float64 `json:"group_mods"`
}

// Event is something that happened.
type Event struct {
	// Seq counts events: where it jumps some were lost.
	Seq  uint64    `json:"seq"`
	At   time.Time `json:"at"`
	Kind string    `json:"kind"` // joined, left, refiltered, expired, removed, denied, note
	// Group, VLAN, Port and Name say whom it is about, if anybody.
	Group string `json:"group,omitempty"`
	VLAN  uint32 `json:"vlan,omitempty"`
	Port  uint32 `json:"port,omitempty"`
	Name  string `json:"name,omitempty"`
	// Text is the filter, or what else there is to say.
	Text string `json:"text,omitempty"`
}

// Warning is what somebody should look at.
type Warning struct {
	Kind string `json:"kind"` // see the constants
	Text string `json:"text"`
	// Source and Group are the stream that it is about, if it is about one.
	Source netip.Addr `json:"source,omitzero"`
	Group  netip.Addr `json:"group,omitzero"`
}

// The kinds of warnings.
const (
	WarnSwitch    = "switch"    // the switch is away
	WarnSink      = "sink"      // something is refused, or stuck
	WarnLimit     = "limit"     // near a limit, or over it
	WarnStream    = "stream"    // a stream that nobody wants
	WarnTTL       = "ttl"       // a stream that no router forwards
	WarnCheck     = "check"     // what keeps packets away silently
	WarnRestarted = "restarted" // memberships that nobody has confirmed yet
	WarnFrozen    = "frozen"    // memberships do not go
)
