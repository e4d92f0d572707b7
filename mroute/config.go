package mroute

// Config says how to open a Socket. The zero value works.
type Config struct {
	// Table is the kernel's multicast routing table, by default RT_TABLE_DEFAULT (253), which needs no rule. Packets
	// come to another table only by a rule (ip mrule add ... table N), which is the caller's. At most 99,999,999. A
	// kernel without CONFIG_IP_MROUTE_MULTIPLE_TABLES refuses all but the default: errors.ErrUnsupported.
	Table uint32
	// ReadBuffer is the room for upcalls that were not read yet, in bytes; 4 MiB by default. The kernel doubles it, and
	// takes about 1 KiB of it an upcall. When there is no room the kernel forgets the packet and asks again with the
	// source's next one.
	ReadBuffer int
}

const defaultReadBuffer = 4 << 20

func (c Config) readBuffer() int {
	if c.ReadBuffer <= 0 {
		return defaultReadBuffer
	}
	return c.ReadBuffer
}
