package ofgrouptest

import (
	"context"
	"fmt"
	"net"
	"sync"
)

const (
	defaultMaxBytes = 256 << 20
	defaultLogBytes = 16 << 20
)

// SwitchConfig sizes a Switch. Its zero value is ready.
type SwitchConfig struct {
	// MaxBytes bounds what the groups may hold in all, in bytes of their
	// description, and likewise the flows; 0 means 256 MiB. What would pass it is
	// refused with OFPGMFC_OUT_OF_GROUPS, with OFPGMFC_OUT_OF_BUCKETS for an
	// INSERT_BUCKET, and with OFPFMFC_TABLE_FULL for a flow.
	MaxBytes int

	// LogBytes bounds the log of messages, in bytes of messages and 64 more for each;
	// 0 means 16 MiB. The oldest are forgotten first.
	LogBytes int

	// Ports are the ports it starts with; nil means a bridge's own and p1 to p4,
	// numbered 1 to 4.
	Ports []SwitchPort
}

// Switch is an OpenFlow 1.5 switch in this process. It speaks OpenFlow over any
// number of connections and keeps groups by Open vSwitch's rules as they were
// observed, read from the bytes by a parser of its own: what our encoder gets wrong,
// it refuses as a real switch would. It has no datapath: no packet is forwarded.
//
// It obeys HELLO, ECHO, FEATURES_REQUEST, BARRIER, GROUP_MOD (all commands of 1.5
// and Open vSwitch's ADD_OR_MOD), FLOW_MOD, METER_MOD, PACKET_OUT, ROLE_REQUEST,
// SET_CONFIG, SET_ASYNC, bundles (always atomic and in order), Open vSwitch's own messages
// that set a connection's controller ID and form of packet-ins, and the multiparts GROUP_DESC,
// GROUP (statistics), GROUP_FEATURES and PORT_DESC; anything else draws OFPBRC_BAD_TYPE. What
// one connection does to a group is forwarded to those that asked for it (REQUESTFORWARD). It
// counts and logs what it hears, and misbehaves as told by Inject. Flows that idle do not time
// out.
//
// Every connection is one to a management socket: until it sets a miss_send_len it
// gets no packet-ins, no port status, no FLOW_REMOVED and no REQUESTFORWARD.
//
// It is no replacement for tests on Open vSwitch. Stricter than that, or with bytes kept
// that it rewrites, this switch takes no actions of OpenFlow 1.1, has no tunnel metadata
// fields, refuses to set a field it does not know always by OFPBAC_BAD_SET_TYPE, has no
// packet-ins in the form NXT_PACKET_IN, and takes the older field of a whole VLAN tag only
// with masks that vlan_vid and vlan_pcp can say, too. A few refusals carry another code.
//
// Laxer, it takes what Open vSwitch refuses: of Open vSwitch's own actions it checks the
// length where that is fixed, and no more of what they hold than the padding of resubmit, so
// that a multipath with impossible fields, a broken learn, ct or clone, and others like
// them are taken; and of a packet-out it does not ask whether the frame has the headers
// that the actions change.
//
// A Switch is safe for concurrent use. It must be closed.
type Switch struct {
	mu        sync.Mutex
	closed    bool
	over      chan struct{} // closed by Close
	conns     map[*switchConn]struct{}
	unread    map[*switchConn]struct{} // those with messages to come, open or not
	dialled   int                      // connections there ever were
	table     groupTable
	flows     flowTable
	meters    map[uint32]meter
	made      uint64       // flows that AddFlow made
	ports     []SwitchPort // in ascending order
	fragments uint16       // how they are handled
	election  election
	faults    []*armedFault
	log       messageLog
	counts    [256]int
	hung      bool

	running sync.WaitGroup // two goroutines a connection
}

// NewSwitch returns a running switch without groups.
func NewSwitch(cfg SwitchConfig) *Switch {
	if cfg.MaxBytes == 0 {
		cfg.MaxBytes = defaultMaxBytes
	}
	if cfg.LogBytes == 0 {
		cfg.LogBytes = defaultLogBytes
	}
	if cfg.Ports == nil {
		cfg.Ports = defaultPorts()
	}
	s := &Switch{
		over:   make(chan struct{}),
		conns:  make(map[*switchConn]struct{}),
		unread: make(map[*switchConn]struct{}),
		table:  newGroupTable(cfg.MaxBytes),
		flows:  newFlowTable(cfg.MaxBytes),
		meters: make(map[uint32]meter),
		log:    messageLog{limit: cfg.LogBytes},
	}
	for _, p := range cfg.Ports {
		s.SetPort(p)
	}
	return s
}

// Dial returns the controller's end of a new connection, which is a net.Pipe: it
// works inside a testing/synctest bubble. The error is the context's, or wraps
// net.ErrClosed after Close.
func (s *Switch) Dial(ctx context.Context) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("ofgrouptest: dial: %w", err)
	}
	near, far := net.Pipe()
	if err := s.Serve(far); err != nil {
		_ = near.Close()
		return nil, err
	}
	return near, nil
}

// Serve makes the switch speak on c, which it closes, and returns at once: for a
// switch behind a listener or a relay. After Close it closes c and returns an error
// that wraps net.ErrClosed.
func (s *Switch) Serve(c net.Conn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = c.Close()
		return fmt.Errorf("ofgrouptest: switch: %w", net.ErrClosed)
	}
	s.dialled++
	sc := newSwitchConn(s, c, s.dialled)
	s.conns[sc], s.unread[sc] = struct{}{}, struct{}{}
	s.running.Add(2)
	go sc.read()
	go sc.write()
	return nil
}

// Close ends every connection and returns when its goroutines have. Groups stay
// readable. It can be called more than once.
func (s *Switch) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.over)
	}
	s.mu.Unlock()
	s.Disconnect()
	s.running.Wait()
	return nil
}

// Restart does what kill -9 and a new start do to a switch: every connection is cut, and
// groups, flows, meters and generations are forgotten. Ports, faults, counts and the log stay.
func (s *Switch) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.table = newGroupTable(s.table.limit)
	s.flows = newFlowTable(s.flows.limit)
	clear(s.meters)
	s.election = election{}
	s.fragments = 0
	s.hung = false
	for c := range s.unread {
		c.killed = true
	}
	for c := range s.conns {
		c.cut()
	}
}

// Disconnect cuts every open connection, replies that wait included. The switch
// goes on: its groups stay, and it can be dialled again.
func (s *Switch) Disconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.cut()
	}
}

// Send writes one message, as it is, to every open connection behind the replies
// that already wait there: an ECHO_REQUEST of the switch's own, an answer nobody
// waits for, bytes that are no message at all.
func (s *Switch) Send(msg []byte) {
	s.mu.Lock()
	open := make([]*switchConn, 0, len(s.conns))
	for c := range s.conns {
		open = append(open, c)
	}
	s.mu.Unlock()
	for _, c := range open {
		c.enqueue(outgoing{bytes: append([]byte(nil), msg...)})
	}
}

// Conns is the number of connections that are open.
func (s *Switch) Conns() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

func (s *Switch) forget(c *switchConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

func (s *Switch) forgetUnread(c *switchConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.unread, c)
}
