package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/members"
	"github.com/ofmcast/ofmcast/examples/agent/peers"
	"github.com/ofmcast/ofmcast/examples/agent/statefile"
	"github.com/ofmcast/ofmcast/examples/ovsdb"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// memoryKind is what a state file says of itself.
var memoryKind = statefile.Kind{Format: "ofmcast agent", Version: 1}

// memory is what an agent leaves to the next one in its state file.
type memory struct {
	// Bridge and OpenFlow say whose it is: ports of another switch are other ports.
	Bridge   string `json:"bridge"`
	OpenFlow string `json:"openflow"`
	// Ports are the names of the members' ports, for numbers may have changed hands.
	Ports map[ofgroup.Port]string `json:"ports"`
	// Snooping is what the bridge's own snooping was before an agent turned it on.
	Snooping *ovsdb.SnoopingState `json:"snooping,omitempty"`
	// Memberships have what their timers have left.
	Memberships mcast.Snapshot[members.Member] `json:"memberships"`
}

// lockState has no other agent use the same state file: the two would be of one bridge, and take it from
// each other for ever. Where no lock can be had, as where no file can be written, the agent goes without.
func lockState(o options, log *slog.Logger) (unlock func(), err error) {
	if o.state == "" {
		return func() {}, nil
	}
	f, err := statefile.Lock(o.state)
	switch {
	case errors.Is(err, statefile.ErrInUse):
		return nil, fmt.Errorf("%w: an agent of bridge %s is running already", err, o.bridge)
	case err != nil:
		log.Warn("another agent of the same state file would not be noticed", "err", err)
		return func() {}, nil
	}
	return func() { _ = f.Close() }, nil
}

// errOtherBridge says that a state file is another bridge's.
var errOtherBridge = errors.New("state of another bridge")

// recall reads the state file. What cannot be used is said loudly, and then the agent begins with what
// it finds on the switch.
func recall(o options, log *slog.Logger) memory {
	if o.state == "" {
		return memory{}
	}
	var m memory
	err := memoryKind.Read(o.state, &m)
	if err == nil && (m.Bridge != o.bridge || m.OpenFlow != o.openflow) {
		err = errOtherBridge
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return memory{}
	case err != nil:
		log.Error("state file ignored, and replaced", "file", o.state, "err", err)
		return memory{}
	}
	// What no host and no node can have told the agent is not of its making.
	m.Memberships.Memberships = slices.DeleteFunc(m.Memberships.Memberships, func(m mcast.Membership[members.Member]) bool {
		return m.Owner != ownerOf(m.Member) || !m.Group.Addr.Is4() || linkLocal.Contains(m.Group.Addr)
	})
	return m
}

// ownerOf is who can hold a membership: hosts that of a port, and a node its own.
func ownerOf(m members.Member) mcast.Owner {
	if m.IsNode() {
		return peers.Owner(m.Node)
	}
	return mcast.Owner{}
}

// sameNames gives a port of the file the number of the one that has its name now.
func (m memory) sameNames(ports map[ofgroup.Port]string) func(members.Member) (members.Member, bool) {
	numbers := make(map[string]ofgroup.Port, len(ports))
	for p, name := range ports {
		numbers[name] = p
	}
	return func(was members.Member) (members.Member, bool) {
		name, known := m.Ports[was.Port]
		number, there := numbers[name]
		return members.Port(number), known && there
	}
}

// sameNumbers drops what is no member's port, and one whose number the file knows from another port: who
// has the number now inherits nothing.
func (m memory) sameNumbers(ports map[ofgroup.Port]string) func(members.Member) (members.Member, bool) {
	return func(member members.Member) (members.Member, bool) {
		name, there := ports[member.Port]
		was, known := m.Ports[member.Port]
		return member, there && (!known || was == name)
	}
}

// remember is the part of the agent that keeps the state file, from when what was there has been
// restored. It is written after changes, at most once in saveEvery, and with each query interval, as
// timers run on without a change.
func (a *agent) remember(ctx context.Context) error {
	select {
	case <-a.restored:
	case <-ctx.Done():
		return nil
	}
	if a.o.state == "" {
		<-ctx.Done()
		return nil
	}
	changes := a.cache.Watch(1) // what there is to say is in the cache; the events only wake
	defer changes.Close()
	for ctx.Err() == nil {
		a.save()
		pause(ctx, saveEvery)
		idle, cancel := context.WithTimeout(ctx, a.o.queryInterval)
		_, _ = changes.Next(idle)
		cancel()
	}
	return nil
}

// saveEvery is the least time between two writes of the state file: a storm of joins must not become
// one of writes.
const saveEvery = time.Second

// tookOver says whether the switch has ever been brought up to date, and so whether what is on it, and in
// the state file, is this agent's to change.
func (a *agent) tookOver() bool {
	select {
	case <-a.restored:
		return true
	default:
		return false
	}
}

// saveLast writes the state file at the end, unless what it holds was not even restored.
func (a *agent) saveLast() {
	if a.tookOver() && a.o.state != "" {
		a.save()
	}
}

// save writes the state file. A failure is said once, until a write succeeds. What the file held before
// must have been restored.
func (a *agent) save() {
	a.saving.Lock()
	defer a.saving.Unlock()
	a.mu.Lock()
	before := a.past.Snooping
	a.mu.Unlock()
	err := memoryKind.Write(a.o.state, memory{
		Bridge: a.o.bridge, OpenFlow: a.o.openflow,
		Ports: a.portNames(), Snooping: before, Memberships: a.cache.Snapshot(),
	})
	if err != nil && !a.unsaved {
		a.log.Error("a restart will not know the memberships, and what the bridge's settings were", "err", err)
	}
	a.unsaved = err != nil
}

// pause returns after d or at the end of ctx.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
