package ofconn

import (
	"maps"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// EventStats counts what became of events, from Open or New on.
type EventStats struct {
	Delivered uint64 // calls of handlers that returned
	Panics    uint64 // calls of handlers that did not
	Malformed uint64 // messages that could not be read
	Truncated uint64 // packet-ins of which the switch sent only the start
	Discarded uint64 // events that waited when their connection ended

	// Dropped counts packet-ins for which there was no room, Limited those over
	// Events.PortRate, and DroppedByPort both by the port that they came in by, for
	// the first 65,536 ports.
	Dropped, Limited uint64
	DroppedByPort    map[ofgroup.Port]uint64

	PacketOutsRefused uint64 // by the switch, of those that PacketOut sent

	// Waiting is how many packet-ins wait for the handler at this moment.
	Waiting int
}

// maxDropPorts bounds EventStats.DroppedByPort, for the switch chooses the ports.
const maxDropPorts = 1 << 16

func (s *EventStats) drop(port ofgroup.Port) {
	if _, known := s.DroppedByPort[port]; known || len(s.DroppedByPort) < maxDropPorts {
		s.DroppedByPort[port]++
	}
}

// snapshot is a copy that is the caller's.
func (in *inbox) snapshot() EventStats {
	in.mu.Lock()
	defer in.mu.Unlock()
	stats := in.stats
	stats.DroppedByPort = maps.Clone(stats.DroppedByPort)
	stats.Waiting = in.queue.held
	return stats
}
