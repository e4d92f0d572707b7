package ovsdb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Bridge is the settings of a bridge as the database has them. It belongs to
// the caller.
type Bridge struct {
	Name string
	// FailMode says what the bridge does after a restart, before a controller
	// has told it: "secure" forwards nothing, "standalone" floods like a
	// learning switch. Empty means standalone.
	FailMode      string
	Protocols     []string          // such as "OpenFlow13"; none means the switch's default
	DatapathType  string            // "netdev" is userspace; empty or "system" is the kernel's
	McastSnooping bool              // mcast_snooping_enable; see also Snooping
	OtherConfig   map[string]string // other_config
	Ports         []Port            // in the order of their names
}

// Port is a port of a bridge. Its OpenFlow number is its interface's: a bond
// has several.
type Port struct {
	Name       string
	HasTag     bool
	Tag        uint16      // the access or native VLAN, if HasTag
	Trunks     []uint16    // the VLANs of a trunk; none means all
	VLANMode   string      // empty means "access" if HasTag, else "trunk"
	Interfaces []Interface // in the order of their names

	ExternalIDs map[string]string // external_ids, which nobody but their writers gives a meaning
}

// Tagged says whether the port has VLAN settings that set it apart from a port
// that carries everything as it comes. Flows that output to it pass them by.
func (p Port) Tagged() bool {
	return p.HasTag || len(p.Trunks) > 0 || (p.VLANMode != "" && p.VLANMode != "trunk")
}

// Interface is a network device of a port.
type Interface struct {
	Name string
	Type string // "internal", "vxlan", …; empty or "system" for the kernel's own
	// OFPort is the OpenFlow port number: 0 until the switch has given one, -1
	// if it could not open the device.
	OFPort int
	MAC    string // mac_in_use, for net.ParseMAC; empty until the switch has set it

	ExternalIDs map[string]string // external_ids, as a Port's
}

type bridgeRow struct {
	Name          string      `json:"name"`
	FailMode      set[string] `json:"fail_mode"`
	Protocols     set[string] `json:"protocols"`
	DatapathType  string      `json:"datapath_type"`
	McastSnooping bool        `json:"mcast_snooping_enable"`
	OtherConfig   dict        `json:"other_config"`
	Ports         set[uuid]   `json:"ports"`
}

type portRow struct {
	ID         uuid        `json:"_uuid"`
	Name       string      `json:"name"`
	Tag        set[uint16] `json:"tag"`
	Trunks     set[uint16] `json:"trunks"`
	VLANMode   set[string] `json:"vlan_mode"`
	Interfaces set[uuid]   `json:"interfaces"`
	External   dict        `json:"external_ids"`
}

type interfaceRow struct {
	ID       uuid        `json:"_uuid"`
	Name     string      `json:"name"`
	Type     string      `json:"type"`
	OFPort   set[int]    `json:"ofport"`
	MAC      set[string] `json:"mac_in_use"`
	External dict        `json:"external_ids"`
}

// bridgeColumns are what the rows above need. What the switch itself writes every
// few seconds, such as statistics, is not among them: Watch would hear of it.
func bridgeColumns() map[string][]string {
	return map[string][]string{
		"Bridge":    {"name", "fail_mode", "protocols", "datapath_type", "mcast_snooping_enable", "other_config", "ports"},
		"Port":      {"_uuid", "name", "tag", "trunks", "vlan_mode", "interfaces", "external_ids"},
		"Interface": {"_uuid", "name", "type", "ofport", "mac_in_use", "external_ids"},
	}
}

// Bridge returns the settings of a bridge, all of one moment. An error wraps
// ErrNoBridge if there is none of that name.
func (c *Client) Bridge(ctx context.Context, name string) (Bridge, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	// The ports of all bridges, for a transaction cannot use what it has found,
	// and two would see two moments.
	columns := bridgeColumns()
	found, err := c.transact(ctx,
		selectOp("Bridge", named(name), columns["Bridge"]...),
		selectOp("Port", condition{}, columns["Port"]...),
		selectOp("Interface", condition{}, columns["Interface"]...))
	var br Bridge
	if err == nil {
		br, err = assemble(found)
	}
	if err != nil {
		return Bridge{}, fmt.Errorf("ovsdb: bridge %q: %w", name, err)
	}
	return br, nil
}

// assemble puts the rows together that refer to one another.
func assemble(found []result) (Bridge, error) {
	bridges, err1 := rows[bridgeRow](found[0])
	portRows, err2 := rows[portRow](found[1])
	interfaceRows, err3 := rows[interfaceRow](found[2])
	if err := cmp.Or(err1, err2, err3); err != nil {
		return Bridge{}, err
	}
	if len(bridges) == 0 {
		return Bridge{}, ErrNoBridge
	}
	interfaces := make(map[uuid]Interface, len(interfaceRows))
	for _, r := range interfaceRows {
		interfaces[r.ID] = Interface{Name: r.Name, Type: r.Type, OFPort: r.OFPort.first(), MAC: r.MAC.first(), ExternalIDs: r.External}
	}
	ports := make(map[uuid]Port, len(portRows))
	for _, r := range portRows {
		of, err := pick(interfaces, r.Interfaces, func(i Interface) string { return i.Name })
		if err != nil {
			return Bridge{}, err
		}
		ports[r.ID] = Port{Name: r.Name, HasTag: len(r.Tag) > 0, Tag: r.Tag.first(),
			Trunks: r.Trunks, VLANMode: r.VLANMode.first(), Interfaces: of, ExternalIDs: r.External}
	}
	br := bridges[0].bridge()
	br.Ports, err1 = pick(ports, bridges[0].Ports, func(p Port) string { return p.Name })
	return br, err1
}

// bridge is the part of a Bridge that is in its own row.
func (r bridgeRow) bridge() Bridge {
	return Bridge{Name: r.Name, FailMode: r.FailMode.first(), Protocols: r.Protocols,
		DatapathType: r.DatapathType, McastSnooping: r.McastSnooping, OtherConfig: r.OtherConfig}
}

// pick returns what ids refer to, in the order of the names.
func pick[T any](from map[uuid]T, ids []uuid, name func(T) string) ([]T, error) {
	var out []T
	for _, id := range ids {
		v, ok := from[id]
		if !ok {
			return nil, fmt.Errorf("%w: no row %s", ErrMalformed, id)
		}
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b T) int { return cmp.Compare(name(a), name(b)) })
	return out, nil
}
