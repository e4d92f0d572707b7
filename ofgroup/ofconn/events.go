package ofconn

import (
	"time"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// Events are the handlers for what the switch tells of its own accord, and how
// it is to tell. One goroutine calls them, one at a time, so they need no locks
// among themselves, and nothing else of the connection waits for them: not
// answers, not echoes. at is when the message was read off the connection. What
// a handler is given is its own to keep. A handler that panics is counted and
// logged, and the next one is called. A handler may send, and call Conn.Reconnect; it
// must not call Session.Close, which waits for it.
//
// # Order
//
// News that is no packet-in is delivered in the order of its arrival, behind
// every packet-in that came before it and before every one that came after it.
// In between, ports take turns, and packet-ins of one port keep their order.
// What an ended connection left undelivered is discarded: a Conn calls no handler
// for a connection before its OnConnect has returned, or once its OnDisconnect is
// called, though a handler called before may still be at work then.
type Events struct {
	// PacketIn is called for every packet-in, cut ones (PacketIn.Truncated)
	// included.
	PacketIn func(p *PacketIn, at time.Time)

	// PortStatus is called for every port that comes, changes or goes. None is
	// left out while the connection lives: if more than 16,384 pieces of news
	// wait, or 32 MiB, the session ends with ErrOverrun.
	PortStatus func(p PortStatus, at time.Time)

	// FlowRemoved is called for every flow that ended and had FlowSendRemoved,
	// under the same bound.
	FlowRemoved func(f FlowRemoved, at time.Time)

	// RoleStatus is called when the connection has another role because of somebody
	// else, under the same bound: as a rule it was the master and is a slave now.
	RoleStatus func(r RoleStatus, at time.Time)

	// RequestForward is called for every change of a group or a meter by another
	// connection, under the same bound.
	RequestForward func(f ofgroup.RequestForward, at time.Time)

	// PacketOutRefused is called when the switch refused what PacketOut sent. Its
	// XID is that of PacketOut's receipt. It is left out if too much waits.
	PacketOutRefused func(err *ofgroup.SwitchError)

	// PortRate bounds the packet-ins of each port: what is over it is dropped and
	// counted on its arrival. Rate bounds how often PacketIn is called: what comes
	// faster waits its turn in the queue, fair by port, and so does news behind it.
	// Default: no bounds.
	PortRate, Rate Rate

	// Queue is how many packet-ins may wait for the handler. One port may fill
	// at most half of it, and always leaves room for others; what is over is
	// dropped and counted. Default 1024.
	Queue int

	// ControllerID numbers each connection; see the type. 0 leaves it alone.
	ControllerID ControllerID

	// Format is the form of packet-ins; FormatPacketIn2 needs Open vSwitch.
	Format PacketInFormat

	// Async says for which reasons the switch is to tell. Default: every reason
	// of what has a handler.
	Async *AsyncConfig

	// Config says how it is to speak. Default: WholePacket if it is to tell anything.
	Config *SwitchConfig
}

const defaultQueue = 1024

// wanted reports whether the switch has to be asked to tell anything.
func (e *Events) wanted() bool {
	return e.PacketIn != nil || e.PortStatus != nil || e.FlowRemoved != nil ||
		e.RoleStatus != nil || e.RequestForward != nil
}

// settings are what is asked of each connection.
func (e *Events) settings() []setting {
	var all []setting
	if e.ControllerID != 0 {
		all = append(all, e.ControllerID)
	}
	if e.Format != FormatStandard {
		all = append(all, e.Format)
	}
	if e.Async != nil {
		all = append(all, *e.Async)
	} else if e.wanted() {
		all = append(all, AsyncConfig{
			PacketIn:       allIf(e.PacketIn != nil),
			PortStatus:     allIf(e.PortStatus != nil),
			FlowRemoved:    allIf(e.FlowRemoved != nil),
			RoleStatus:     allIf(e.RoleStatus != nil),
			RequestForward: allIf(e.RequestForward != nil),
		})
	}
	if e.Config != nil {
		all = append(all, *e.Config)
	} else if e.wanted() {
		all = append(all, SwitchConfig{MissSendLen: WholePacket})
	}
	return all
}

func allIf(wanted bool) uint32 {
	if wanted {
		return AllReasons
	}
	return 0
}
