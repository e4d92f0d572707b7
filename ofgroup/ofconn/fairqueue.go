package ofconn

import (
	"time"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// arrival is what the switch told, when it was read, and how long the message was: a
// *PacketIn, or news, which is any other type.
type arrival struct {
	what any
	at   time.Time
	size int
}

// maxNews and maxNewsBytes bound the news that waits.
const (
	maxNews      = 1 << 14
	maxNewsBytes = 32 << 20
)

// fairQueue holds arrivals until they are taken. News keeps its place among all;
// packet-ins between two pieces of news are taken from their ports in turn. It
// is bounded: of packet-ins, a port may hold as many as there is room left for
// others. So one port alone gets half, two get a third each, and a port that
// holds none gets in as long as fewer ports than there are places flood. It is
// not safe for concurrent use.
type fairQueue struct {
	limit int                  // of packet-ins
	held  int                  // packet-ins
	ports map[ofgroup.Port]int // packet-ins held of each port that has any
	spans []*span              // never empty
	bytes int                  // of news
}

// span is the packet-ins between two pieces of news.
type span struct {
	lines map[ofgroup.Port]*line
	turns []*line // those with packet-ins, the next one first
	end   arrival // the news behind them; empty in the last span
}

// line is the packet-ins of one port, in the order of arrival.
type line struct {
	port    ofgroup.Port
	packets []arrival
}

func newFairQueue(limit int) *fairQueue {
	return &fairQueue{limit: limit, ports: map[ofgroup.Port]int{}, spans: []*span{new(span)}}
}

// packet puts a packet-in in line, or returns false if there is no room for one
// of its port.
func (q *fairQueue) packet(port ofgroup.Port, a arrival) bool {
	if q.ports[port] >= q.limit-q.held {
		return false
	}
	q.held++
	q.ports[port]++
	q.spans[len(q.spans)-1].add(port, a)
	return true
}

// news puts news in line, or returns false if too much waits already.
func (q *fairQueue) news(a arrival) bool {
	if len(q.spans) > maxNews || q.bytes+a.size > maxNewsBytes {
		return false
	}
	q.bytes += a.size
	q.spans[len(q.spans)-1].end = a
	q.spans = append(q.spans, new(span))
	return true
}

// next takes what is to be delivered next; false if nothing waits.
func (q *fairQueue) next() (arrival, bool) {
	first := q.spans[0]
	if port, a, ok := first.take(); ok {
		q.held--
		if q.ports[port]--; q.ports[port] == 0 {
			delete(q.ports, port)
		}
		return a, true
	}
	if len(q.spans) == 1 {
		return arrival{}, false
	}
	q.spans[0] = nil
	q.spans = q.spans[1:]
	q.bytes -= first.end.size
	return first.end, true
}

// packetNext reports whether next would take a packet-in.
func (q *fairQueue) packetNext() bool { return len(q.spans[0].turns) > 0 }

func (s *span) add(port ofgroup.Port, a arrival) {
	l := s.lines[port]
	if l == nil {
		if s.lines == nil {
			s.lines = map[ofgroup.Port]*line{}
		}
		l = &line{port: port}
		s.lines[port] = l
	}
	if len(l.packets) == 0 {
		s.turns = append(s.turns, l)
	}
	l.packets = append(l.packets, a)
}

// take takes the oldest packet-in of the port whose turn it is.
func (s *span) take() (ofgroup.Port, arrival, bool) {
	if len(s.turns) == 0 {
		return 0, arrival{}, false
	}
	l := s.turns[0]
	a := l.packets[0]
	l.packets[0] = arrival{} // not kept alive by the array
	l.packets = l.packets[1:]
	s.turns[0] = nil
	s.turns = s.turns[1:]
	if len(l.packets) > 0 {
		s.turns = append(s.turns, l)
	} else {
		delete(s.lines, l.port)
	}
	return l.port, a, true
}
