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

// ErrAddress is returned for a switch address that is neither unix:PATH nor tcp:HOST:PORT.
var ErrAddress = errors.New("not a switch address (unix:/path/to/BRIDGE.mgmt or tcp:HOST:PORT)")

// Switch is a connection to a switch, an ofgroup.Sender that remembers what it sent. The in-process
// switch is reached over the same encoding and the same connection code as a real one.
type Switch struct {
	*ofconn.Session
	address   string
	inProcess *ofgrouptest.Switch // nil when the switch is a real one

	mu   sync.Mutex
	sent int
	news []*ofgroup.Mod
}

var _ ofgroup.Sender = (*Switch)(nil)

// Open connects to the switch at address, or to a new one in this process when address is empty.
func Open(ctx context.Context, address string) (*Switch, error) {
	s := &Switch{address: address}
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
		return nil, fmt.Errorf("%q: %w", address, ErrAddress)
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
