// Package ofswitch opens the switch that an example programs: one in this process, or a real one.
package ofswitch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// errAddress is for a switch address that is neither unix:PATH nor tcp:HOST:PORT.
var errAddress = errors.New("not a switch address (unix:/path/to/BRIDGE.mgmt or tcp:HOST:PORT)")

// Switch is a connection to a switch, an ofgroup.Sender that remembers what it sent. The in-process
// switch is reached over the same encoding and the same connection code as a real one.
type Switch struct {
	*ofconn.Session
	address   string
	inProcess *ofgrouptest.Switch // nil when the switch is a real one

	mu   sync.Mutex
	sent int
	news []*ofgroup.Mod
	ours map[ofgroup.ID]bool // looked up: there was no such group before us
}

var _ ofgroup.Sender = (*Switch)(nil)

// Open connects to the switch at address, or to a new one in this process when address is empty.
func Open(ctx context.Context, address string) (*Switch, error) {
	s := &Switch{address: address, ours: make(map[ofgroup.ID]bool)}
	dial := func(ctx context.Context) (net.Conn, error) { return dial(ctx, address) }
	if address == "" {
		s.inProcess = ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
		dial = s.inProcess.Dial
	}
	session, err := ofconn.Open(ctx, ofconn.Config{Dial: dial})
	if err != nil {
		return nil, errors.Join(err, s.closeSwitch())
	}
	s.Session = session
	return s, nil
}

func dial(ctx context.Context, address string) (net.Conn, error) {
	network, where, ok := strings.Cut(address, ":")
	if !ok || (network != "unix" && network != "tcp") {
		return nil, fmt.Errorf("%q: %w", address, errAddress)
	}
	var d net.Dialer
	return d.DialContext(ctx, network, where)
}

// Send sends m and remembers it until the next call of News.
func (s *Switch) Send(ctx context.Context, m *ofgroup.Mod) (ofgroup.Receipt, error) {
	s.mu.Lock()
	s.sent++
	s.news = append(s.news, m)
	s.mu.Unlock()
	return s.Session.Send(ctx, m)
}

// Owns says whether a group ID is ours to use: on somebody's own switch, only those that it has no
// group for. It fits ofgroup.TableConfig.Owns.
func (s *Switch) Owns(id ofgroup.ID) bool {
	s.mu.Lock()
	known, ours := s.inProcess != nil, s.ours[id]
	s.mu.Unlock()
	if known || ours {
		return true
	}
	_, taken, err := s.GroupDesc(context.Background(), id)
	if taken || err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ours[id] = true
	return true
}

// DeleteAll takes every group of t off the switch. It is for when ctx of the work has ended.
func (s *Switch) DeleteAll(t *ofgroup.Table) error {
	var errs []error
	for g := range t.Groups() {
		errs = append(errs, t.Delete(context.Background(), g.ID()))
	}
	return errors.Join(errs...)
}

// News returns the messages sent since it was last called.
func (s *Switch) News() []*ofgroup.Mod {
	s.mu.Lock()
	defer s.mu.Unlock()
	news := s.news
	s.news = nil
	return news
}

// GroupMods is the number of GROUP_MODs: as the in-process switch counted them, or as they were sent
// to a real one, which does not count.
func (s *Switch) GroupMods() int {
	if s.inProcess != nil {
		return s.inProcess.GroupMods()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

// InProcess returns the switch of this process, or nil when the switch is a real one.
func (s *Switch) InProcess() *ofgrouptest.Switch { return s.inProcess }

// Name says which switch it is, for people.
func (s *Switch) Name() string {
	if s.inProcess != nil {
		return "a switch in this process"
	}
	return "the switch at " + s.address
}

// Close ends the connection, and the switch if it lives in this process.
func (s *Switch) Close() error { return errors.Join(s.Session.Close(), s.closeSwitch()) }

func (s *Switch) closeSwitch() error {
	if s.inProcess == nil {
		return nil
	}
	return s.inProcess.Close()
}
