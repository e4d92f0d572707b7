package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ofmcast/ofmcast/examples/ovsdb"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// String names a port as people know it, with the number that OpenFlow knows.
func (p port) String() string { return fmt.Sprintf("%s (%v)", p.name, p.number) }

// maxOpenFlowName is where Open vSwitch cuts names in its port descriptions.
const maxOpenFlowName = 15

// servedPorts are the ports that the switch has, each with its role and its VLANs, in ascending order.
// Where there is a database, a port that it does not know is left out, and one with settings that cannot
// be followed carries nothing: to take it for a port without settings could lead traffic out of its
// VLAN. The errors say which and why.
func servedPorts(o options, descs []ofconn.PortDesc, settings *ovsdb.Bridge) ([]port, []error) {
	var ports []port
	var errs []error
	for _, d := range descs {
		if !isNumbered(d.Number) && d.Number != ofgroup.PortLocal {
			continue
		}
		p := port{number: d.Number, name: d.Name, role: roleMember}
		if settings != nil {
			var listed bool
			if p, listed = configured(p, *settings, &errs); !listed {
				continue
			}
		}
		p.role = roleBy(o, p)
		ports = append(ports, p)
	}
	slices.SortFunc(ports, func(a, b port) int { return cmp.Compare(a.number, b.number) })
	return ports, errs
}

// configured returns the port as the database has it, and whether it does.
func configured(p port, settings ovsdb.Bridge, errs *[]error) (port, bool) {
	for _, row := range settings.Ports {
		for _, i := range row.Interfaces {
			if !isSame(i, p) {
				continue
			}
			var err, roleErr error
			p.name = i.Name
			p.vlans, err = carriageOf(row)
			p.role, roleErr = roleOf(row, i)
			if err = errors.Join(err, roleErr); err != nil {
				*errs = append(*errs, err)
			}
			return p, true
		}
	}
	return p, false
}

// isSame compares names, because a number may not be in the database yet, or may be the one that the
// interface had before. Of two long names that begin alike the number tells which.
func isSame(i ovsdb.Interface, p port) bool {
	if i.Name == p.name {
		return true
	}
	return len(p.name) >= maxOpenFlowName && strings.HasPrefix(i.Name, p.name) && ofgroup.Port(i.OFPort) == p.number
}

// roleBy is the port's role: that of the flags if they name it, else the database's.
func roleBy(o options, p port) role {
	if r, ok := o.roles[p.name]; ok {
		return r
	}
	switch {
	case p.name == o.gateway && o.gateway != "":
		return roleGateway
	case p.role == roleGateway && o.gateway != "": // another one than the flag's
		return roleMember
	case p.number == ofgroup.PortLocal && p.role != roleGateway:
		return roleBridge
	}
	return p.role
}
