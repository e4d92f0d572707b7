package ofconn_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// desired is what an application wants the switch to hold: a group an ID, with
// one bucket, and a flow for each.
type desired struct {
	mu    sync.Mutex
	ports []int // by group ID
}

const replayed = 1000

func newDesired() *desired {
	d := &desired{ports: make([]int, replayed)}
	for id := range d.ports {
		d.ports[id] = 1
	}
	return d
}

// change has a group output to another port and returns the group.
func (d *desired) change(id int) ofgroup.Group {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ports[id]++
	return ports(ofgroup.ID(id), d.ports[id])
}

func (d *desired) group(id int) ofgroup.Group {
	d.mu.Lock()
	defer d.mu.Unlock()
	return ports(ofgroup.ID(id), d.ports[id])
}

func (d *desired) flow(id int) ofconn.FlowMod {
	return ofconn.FlowMod{
		Priority: uint16(id), Match: ofgroup.NewMatch(ofgroup.IsIPv4()),
		Actions: []ofgroup.Action{ofgroup.OutputGroup(ofgroup.ID(id))},
	}
}

// replay brings a switch up to date: all groups, then all flows.
func (d *desired) replay(ctx context.Context, s *ofconn.Session) error {
	groups := func(id int) error { _, err := d.group(id).Commit(ctx, s); return err }
	flows := func(id int) error { _, err := s.SendMessage(ctx, d.flow(id)); return err }
	if err := each(groups); err != nil {
		return err
	}
	return each(flows)
}

// each calls f for every ID, for many at a time.
func each(f func(id int) error) error {
	const workers = 64
	errs := make([]error, workers)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for id := w; id < replayed && errs[w] == nil; id += workers {
				errs[w] = f(id)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// dumps are the groups and flows in the switch's own words, sorted.
func dumps(t *testing.T, lab *ovslab.Lab) (groups, flows []string) {
	for _, dump := range []struct {
		command []string
		lines   *[]string
	}{
		{[]string{"dump-groups", lab.Bridge()}, &groups},
		{[]string{"dump-flows", "--no-stats", lab.Bridge()}, &flows},
	} {
		out, err := lab.Ofctl(t.Context(), dump.command...)
		require.NoError(t, err)
		for line := range strings.Lines(out) {
			if line = strings.TrimSpace(line); !strings.Contains(line, "reply") {
				*dump.lines = append(*dump.lines, line)
			}
		}
		slices.Sort(*dump.lines)
	}
	return groups, flows
}

// dumps is what they should be.
func (d *desired) dumps() (groups, flows []string) {
	for id, port := range d.ports {
		groups = append(groups, fmt.Sprintf("group_id=%d,type=all,bucket=bucket_id:0,actions=output:%d", id, port))
		flows = append(flows, fmt.Sprintf("priority=%d,ip actions=group:%d", id, id))
	}
	slices.Sort(groups)
	slices.Sort(flows)
	return groups, flows
}

// kill ends the switch in the middle of commits and returns when they have all
// failed.
func (d *desired) kill(t *testing.T, lab *ovslab.Lab, conn *ofconn.Conn) {
	const before = 200 // commits
	committed := make(chan struct{}, replayed)
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			for id := w; ; id = (id + 8) % replayed {
				if _, err := d.change(id).Commit(t.Context(), conn); err != nil {
					return
				}
				select {
				case committed <- struct{}{}:
				default:
				}
			}
		})
	}
	for range before {
		<-committed
	}
	require.NoError(t, lab.KillSwitch())
	writers.Wait()
}

// accepting returns the moment from which on the switch takes connections.
func accepting(t *testing.T, lab *ovslab.Lab) time.Time {
	probe := time.NewTicker(time.Millisecond)
	defer probe.Stop()
	for range probe.C {
		if c, err := lab.Dial(t.Context()); err == nil {
			require.NoError(t, c.Close())
			break
		}
		require.NoError(t, t.Context().Err())
	}
	return time.Now()
}

func TestAKilledSwitchHoldsTheDesiredStateSoonAfterItsReturn(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	relay := relayTo(t, lab)
	want := newDesired()
	conn := ofconn.New(ofconn.Config{Dial: relay.Dial, OnConnect: want.replay})
	running(t, conn)
	want.kill(t, lab, conn)
	relay.Reset()
	restarted := make(chan error, 1)
	go func() { restarted <- lab.RestartSwitch(t.Context()) }()
	start := accepting(t, lab)

	require.NoError(t, conn.WaitConnected(t.Context()))
	sent := relay.ToSwitch()
	groups, flows := dumps(t, lab)
	took := time.Since(start)

	wantGroups, wantFlows := want.dumps()
	require.Equal(t, wantGroups, groups)
	require.Equal(t, wantFlows, flows)
	t.Logf("the dumps are right %v after the switch took connections", took)
	require.Less(t, took, 2*time.Second)
	requireReplay(t, sent)
	require.NoError(t, <-restarted)
}

// requireReplay asks that every GROUP_MOD of a replay stands before the first
// FLOW_MOD.
func requireReplay(t *testing.T, sent ovslab.Traffic) {
	var order []byte
	for _, m := range sent.Messages {
		if m[1] == typeGroupMod || m[1] == typeFlowMod {
			order = append(order, m[1])
		}
	}
	require.Len(t, order, 2*replayed, "all before connected")
	require.Equal(t, strings.Repeat("\x0f", replayed)+strings.Repeat("\x0e", replayed), string(order))
}
