package ofconn_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// desired is what an application wants the switch to hold: a Table of groups with
// one bucket each, and a flow for each.
type desired struct {
	table *ofgroup.Table
	turns [replayed]atomic.Int32 // by group ID: how often it was changed
}

const replayed = 1000

// change has a group output to another port.
func (d *desired) change(ctx context.Context, id int) error {
	_, err := d.table.Commit(ctx, ports(ofgroup.ID(id), 1+int(d.turns[id].Add(1))))
	return err
}

func (d *desired) flow(id int) ofconn.FlowMod {
	return ofconn.FlowMod{
		Priority: uint16(id), Match: ofgroup.NewMatch(ofgroup.IsIPv4()),
		Actions: []ofgroup.Action{ofgroup.OutputGroup(ofgroup.ID(id))},
	}
}

// fill makes the groups and flows for the first time.
func (d *desired) fill(ctx context.Context, conn *ofconn.Conn) error {
	return errors.Join(
		each(func(id int) error { return d.change(ctx, id) }),
		each(func(id int) error { _, err := conn.SendMessage(ctx, d.flow(id)); return err }))
}

// replay brings a switch up to date: all groups that the table has, then their flows.
func (d *desired) replay(ctx context.Context, s *ofconn.Session) error {
	if err := d.table.Replay(ctx, s); err != nil {
		return err
	}
	return each(func(id int) error {
		if _, state := d.table.Lookup(ofgroup.ID(id)); state != ofgroup.Held {
			return nil // before the first one
		}
		_, err := s.SendMessage(ctx, d.flow(id))
		return err
	})
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
func (d *desired) dumps(t *testing.T) (groups, flows []string) {
	for g, state := range d.table.Groups() {
		require.Equal(t, ofgroup.Held, state)
		groups = append(groups, fmt.Sprintf("group_id=%d,type=all,bucket=bucket_id:0,%v", g.ID(), g.Bucket(0)))
		flows = append(flows, fmt.Sprintf("priority=%d,ip actions=group:%d", g.ID(), g.ID()))
	}
	require.Len(t, groups, replayed)
	slices.Sort(groups)
	slices.Sort(flows)
	return groups, flows
}

// kill ends the switch in the middle of commits and returns when they have all
// failed.
func (d *desired) kill(t *testing.T, lab *ovslab.Lab) {
	const before = 200 // commits
	committed := make(chan struct{}, replayed)
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			for id := w; ; id = (id + 8) % replayed {
				if err := d.change(t.Context(), id); err != nil {
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
	want := &desired{}
	conn := ofconn.New(ofconn.Config{Dial: relay.Dial, OnConnect: want.replay})
	want.table = ofgroup.NewTable(conn, ofgroup.TableConfig{})
	running(t, conn)
	require.NoError(t, want.fill(t.Context(), conn))
	want.kill(t, lab)
	relay.Reset()
	restarted := make(chan error, 1)
	go func() { restarted <- lab.RestartSwitch(t.Context()) }()
	start := accepting(t, lab)

	require.NoError(t, conn.WaitConnected(t.Context()))
	sent := relay.ToSwitch()
	groups, flows := dumps(t, lab)
	took := time.Since(start)

	wantGroups, wantFlows := want.dumps(t)
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
