package mroute

import "errors"

// Config says how to open a Socket. The zero value works.
type Config struct {
	// Family is IPv4 by default. IPv6 is not made yet: errors.ErrUnsupported.
	Family Family
	// Table is the kernel's multicast routing table, by default RT_TABLE_DEFAULT (253), which needs no rule. Packets
	// come to another table only by a rule (see Socket.AddRule). At most 999,999,999. A
	// kernel without CONFIG_IP_MROUTE_MULTIPLE_TABLES refuses all but the default: errors.ErrUnsupported.
	Table uint32
	// ReadBuffer is the room for upcalls that were not read yet, in bytes; 4 MiB by default. The kernel doubles it, and
	// takes about 1 KiB of it an upcall. When there is no room the kernel forgets the packet and asks again with the
	// source's next one.
	ReadBuffer int
}

// Family is what a Socket routes: each has its own tables, VIFs and routes.
type Family uint8

// The families of Config. The types of this package hold addresses of both.
const (
	IPv4 Family = iota
	IPv6
)

const (
	defaultReadBuffer = 4 << 20
	rtDefault         = 253 // RT_TABLE_DEFAULT, the table without MRT_TABLE
)

// check refuses what is not there yet.
func (c Config) check() error {
	if c.Family != IPv4 {
		return errors.ErrUnsupported
	}
	return nil
}

func (c Config) table() uint32 {
	if c.Table == 0 {
		return rtDefault
	}
	return c.Table
}

func (c Config) readBuffer() int {
	if c.ReadBuffer <= 0 {
		return defaultReadBuffer
	}
	return c.ReadBuffer
}
