package ofgroup

import (
	"encoding/binary"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// CTAction says what CT does with a packet's connection. The zero value looks the
// connection up in zone 0, which tells no one unless Recirculate is set.
type CTAction struct {
	// Commit puts the connection into the table; without it the connection is only looked
	// up, and only a NATRestore can be done.
	Commit bool
	// Force does not take a connection that runs in the other direction for this one, but
	// replaces it. Only with Commit.
	Force bool

	// Zone is the connection table's zone. ZoneField, 16 bits of a field, gives it for
	// each packet in place of Zone, which must then be 0.
	Zone      uint16
	ZoneField Field

	// Recirculate runs the packet through table Table, 0 to 254, knowing its connection
	// (CTState, CTMark and the like). The packet at hand goes on without.
	Recirculate bool
	Table       uint8

	// NAT changes addresses of the connection; nil does not.
	NAT *NAT

	// Exec is done when the connection is committed: Set or Copy of CTMark and CTLabel. In
	// a CT of others a NAT that does not come first stands here, too.
	Exec []Action

	// ALG is the application gateway for related connections, by the port that the
	// application is known for: ALGFTP or ALGTFTP. 0 is none.
	ALG uint16
}

// The application gateways that Open vSwitch has.
const (
	ALGFTP  = 21
	ALGTFTP = 69
)

// A ct action: flags, where the zone comes from (a field's header, or 0), the zone or which
// part of the field, table, padding, gateway; then its actions.
const (
	offCTFlags   = 10
	offCTField   = 12
	offCTZone    = 16
	offCTTable   = 18
	offCTPad     = 19
	offCTALG     = 22
	offCTActions = 24

	ctCommit  = 1 << 0
	ctForce   = 1 << 1
	ctNoTable = 0xff
	zoneBits  = 16
)

// CT sends the packet to the connection tracker. It is Open vSwitch's own action.
func CT(c CTAction) Action {
	zoneField, zone, err := c.zone()
	switch {
	case err != nil:
		return faultyAction(err)
	case c.Recirculate && c.Table == ctNoTable, !c.Recirculate && c.Table != 0:
		return badAction(ErrAction, "ct with table %d, recirculation %t", c.Table, c.Recirculate)
	case !c.Commit && (c.Force || len(c.Exec) > 0 || c.NAT != nil && c.NAT.Kind != NATRestore):
		return badAction(ErrAction, "ct that shall change a connection without commit")
	}
	table := uint8(ctNoTable)
	if c.Recirculate {
		table = c.Table
	}
	b := make([]byte, offCTActions, 2*shortAction)
	binary.BigEndian.PutUint16(b[offCTFlags:], c.flags())
	binary.BigEndian.PutUint32(b[offCTField:], zoneField)
	binary.BigEndian.PutUint16(b[offCTZone:], zone)
	b[offCTTable] = table
	binary.BigEndian.PutUint16(b[offCTALG:], c.ALG)
	if b, err = c.NAT.appendTo(b); err != nil {
		return faultyAction(err)
	}
	for i := range c.Exec {
		if a := &c.Exec[i]; a.err() == nil && !a.rare().inCT && !a.isNAT() {
			return badAction(ErrAction, "%v within ct, where only ct_mark and ct_label can be set", *a)
		}
	}
	a := nest(b, openflow.NiciraCT, c.Exec)
	a.more.inCT = false // nest has just made it, with the fault or the depth
	return a
}

func (c *CTAction) flags() uint16 {
	flags := uint16(0)
	if c.Commit {
		flags |= ctCommit
	}
	if c.Force {
		flags |= ctForce
	}
	return flags
}

// zone is where the zone comes from and the number beside that.
func (c *CTAction) zone() (header uint32, zone uint16, err error) {
	if c.ZoneField == 0 {
		return 0, c.Zone, nil
	}
	where, err := c.ZoneField.where()
	switch {
	case err != nil:
		return 0, 0, err
	case c.Zone != 0:
		return 0, 0, fault{ErrAction, "ct with zone and zone field"}
	case c.ZoneField.partWidth() != zoneBits:
		return 0, 0, fault{ErrField, c.ZoneField.String() + " as a zone, which has 16 bits"}
	}
	return uint32(c.ZoneField.info().nxm), where, nil
}

// isNAT reports whether a is a NAT, which comes by itself only from a CT that was decoded.
func (a *Action) isNAT() bool {
	_, ok := parseNAT(a.encoding())
	return ok
}

// outsideCT is the fault of an action that belongs within CT and is somewhere else.
func outsideCT(a *Action) error {
	return fault{ErrAction, actionText(a.encoding(), 0) + " outside ct, where ct_mark and ct_label cannot be set"}
}

// CTClear has the packet forget its connection, as if it had never been through CT. It is
// Open vSwitch's own action.
func CTClear() Action { return niciraAction0(openflow.NiciraCTClear) }

// AsCT is what the action does with the packet's connection, if it is a CT that could have
// been made here. The caller owns it.
func (a Action) AsCT() (CTAction, bool) { return parseCT(a.encoding()) }

func parseCT(a string) (CTAction, bool) {
	if niciraSubtype(a) != openflow.NiciraCT || len(a) < offCTActions || !zeros(a[offCTPad:offCTALG]) {
		return CTAction{}, false
	}
	flags, zone, table := be16(a[offCTFlags:]), be16(a[offCTZone:]), a[offCTTable]
	c := CTAction{Commit: flags&ctCommit != 0, Force: flags&ctForce != 0, ALG: be16(a[offCTALG:])}
	if h := openflow.OXM(be32(a[offCTField:])); h == 0 {
		c.Zone = zone
	} else if c.ZoneField = numberByOXM(h); c.ZoneField == 0 {
		return CTAction{}, false
	} else {
		first := int(zone >> whereShift)
		c.ZoneField = c.ZoneField.Bits(first, first+int(zone&whereBits))
	}
	if table != ctNoTable {
		c.Recirculate, c.Table = true, table
	}
	if !c.parseActions(a[offCTActions:]) || CT(c).encoding() != a {
		return CTAction{}, false
	}
	return c, true
}

// parseActions reads the NAT, if it comes first, and the actions for the connection.
func (c *CTAction) parseActions(s string) bool {
	if checkActions(s) != nil {
		return false
	}
	first := true
	for a := range eachAction(s) {
		if nat, ok := parseNAT(a); ok && first {
			c.NAT = &nat
		} else {
			c.Exec = append(c.Exec, decodedAction(a))
		}
		first = false
	}
	return true
}
