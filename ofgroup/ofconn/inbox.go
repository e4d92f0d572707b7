package ofconn

import (
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// inbox hands what sessions receive to the handlers, on the goroutine of run.
// Putting something in never waits for a handler.
type inbox struct {
	events Events
	log    *damper

	mu     sync.Mutex
	more   *sync.Cond
	queue  *fairQueue
	open   bool // deliver what is put in
	closed bool
	stats  EventStats
	rates  *portRates
	pace   meter       // of calls of Events.PacketIn
	timer  *time.Timer // wakes run when the pace allows another; nil before the first
}

func newInbox(events Events, log *damper) *inbox {
	if events.Queue <= 0 {
		events.Queue = defaultQueue
	}
	in := &inbox{
		events: events, log: log, queue: newFairQueue(events.Queue),
		rates: newPortRates(events.PortRate), pace: newMeter(events.Rate),
	}
	in.stats.DroppedByPort = map[ofgroup.Port]uint64{}
	in.more = sync.NewCond(&in.mu)
	return in
}

// admit starts to deliver what is, and will be, put in.
func (in *inbox) admit() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.open = true
	in.more.Signal()
}

// discard throws away what waits, and stops delivering until admit.
func (in *inbox) discard() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.stats.Discarded += uint64(in.queue.held + len(in.queue.spans) - 1)
	in.queue = newFairQueue(in.events.Queue)
	in.open = false
}

// close ends run, once the handler that it may be in has returned.
func (in *inbox) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.closed = true
	if in.timer != nil {
		in.timer.Stop()
	}
	in.more.Signal()
}

// reopen undoes close, for another run.
func (in *inbox) reopen() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.closed = false
}

// run calls the handlers until close.
func (in *inbox) run() {
	for a, ok := in.next(); ok; a, ok = in.next() {
		in.deliver(a)
	}
}

// next waits for something to deliver; false after close.
func (in *inbox) next() (arrival, bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for !in.closed {
		if in.open && in.inTime(time.Now()) {
			if a, ok := in.queue.next(); ok {
				return a, true
			}
		}
		in.more.Wait()
	}
	return arrival{}, false
}

// inTime reports whether what is next may be delivered now. A packet-in may have to wait
// for Events.Rate; then it sets the timer. The caller holds the lock.
func (in *inbox) inTime(now time.Time) bool {
	if !in.queue.packetNext() || in.pace.take(now) {
		return true
	}
	if in.timer == nil {
		in.timer = time.AfterFunc(in.pace.wait(now), in.wakeUp)
	} else {
		in.timer.Reset(in.pace.wait(now))
	}
	return false
}

func (in *inbox) wakeUp() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.more.Signal()
}

// deliver calls one handler, and survives it.
func (in *inbox) deliver(a arrival) {
	defer func() {
		p := recover()
		if p != nil {
			in.log.log(slog.LevelError, "openflow event handler panicked", "panic", p, "stack", string(debug.Stack()))
		}
		in.returned(p == nil)
	}()
	switch e := a.what.(type) {
	case *PacketIn:
		in.events.PacketIn(e, a.at)
	case PortStatus:
		in.events.PortStatus(e, a.at)
	case FlowRemoved:
		in.events.FlowRemoved(e, a.at)
	case RoleStatus:
		in.events.RoleStatus(e, a.at)
	case ofgroup.RequestForward:
		in.events.RequestForward(e, a.at)
	case *ofgroup.SwitchError:
		in.events.PacketOutRefused(e)
	}
}

// returned counts a call of a handler.
func (in *inbox) returned(well bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if well {
		in.stats.Delivered++
	} else {
		in.stats.Panics++
	}
}

// packet takes a packet-in, or drops it if its port has too many.
func (in *inbox) packet(p *PacketIn, a arrival) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if p.Truncated() {
		in.stats.Truncated++
	}
	switch {
	case !in.rates.take(p.InPort, a.at):
		in.stats.Limited++
		in.stats.drop(p.InPort)
	case !in.queue.packet(p.InPort, a):
		in.stats.Dropped++
		in.stats.drop(p.InPort)
	default:
		in.more.Signal()
	}
}

// news takes anything else; false if too much waits.
func (in *inbox) news(a arrival) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	ok := in.queue.news(a)
	in.more.Signal()
	return ok
}

// malformed counts a message that could not be read.
func (in *inbox) malformed() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.stats.Malformed++
}

// packetOutRefused counts a packet-out that the switch refused.
func (in *inbox) packetOutRefused() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.stats.PacketOutsRefused++
}
