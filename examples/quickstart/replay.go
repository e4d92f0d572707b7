package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/ofsink"
	"github.com/ofmcast/ofmcast/examples/internal/capture"
	"github.com/ofmcast/ofmcast/examples/internal/ofswitch"
	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// Group IDs on the switch: one for each multicast group that has members.
const firstID, lastID = 1000, 66535

// replay is the wiring of the packages: frames become records (igmp, igmp/snooper), records become
// memberships (mcast), memberships become OpenFlow groups (the sink, ofgroup). The clock is the
// capture's: no package here has one of its own.
type replay struct {
	snooper *snooper.Snooper
	cache   *mcast.Cache[ofgroup.Port]
	table   *ofgroup.Table
	sink    *ofsink.Sink[ofgroup.Port]
	sw      *ofswitch.Switch

	hosts  *hosts
	tally  *tally
	events *timeline
	watch  *mcast.Watcher[ofgroup.Port] // tells a leave from silence
	ended  map[ending]mcast.ChangeKind  // how memberships ended that no sink was told of yet
	until  time.Duration                // 0: to the end

	start, now time.Time
}

// ending is a member that is in a group no more.
type ending struct {
	group  mcast.Group
	member ofgroup.Port
}

func newReplay(sw *ofswitch.Switch, o options, events *timeline) (*replay, error) {
	table := ofgroup.NewTable(sw, ofgroup.TableConfig{IDs: ofgroup.NewIDAllocator(firstID, lastID), Owns: sw.Owns})
	timing := mcast.Timing{QI: o.qi, QRI: o.qri} // we are the querier, as far as the cache knows
	hosts := newHosts()
	r := &replay{
		// A file bounds the memory by itself, and every report in it shall count.
		snooper: snooper.New(snooper.Config{Limits: snooper.Limits{FramesPerSecond: -1, Ports: -1, RecordsPerReport: -1, SourcesPerRecord: -1}}),
		table:   table,
		sink:    ofsink.New(ofsink.Config[ofgroup.Port]{Table: table, Bucket: ofsink.ToPort, MaxSources: -1}),
		sw:      sw,
		hosts:   hosts,
		tally:   newTally(hosts),
		events:  events,
		ended:   make(map[ending]mcast.ChangeKind),
		until:   o.until,
	}
	r.cache = mcast.New(mcast.Config[ofgroup.Port]{
		Timing: timing, Query: r.query,
		Limits: mcast.Limits{Groups: -1, Memberships: -1, GroupsPerMember: -1, SourcesPerMember: -1, Sources: -1},
	})
	r.watch = r.cache.Watch(watched)
	// No least time between two deliveries: every change is to be seen.
	_, err := r.cache.AddSink("switch", r, mcast.SinkConfig{MinInterval: -1})
	return r, err
}

// run feeds all frames and then lets the clock run on until nothing is left, so that the last
// memberships expire too. A file that ends in a fault is replayed up to there; the fault is returned.
func (r *replay) run(ctx context.Context, frames iter.Seq2[capture.Frame, error]) error {
	fault := r.feedAll(ctx, frames)
	if fault != nil && !errors.Is(fault, errFile) {
		return fault
	}
	for next, ok := r.cache.Next(); ok && !r.over(next); next, ok = r.cache.Next() {
		if err := r.advance(ctx, next); err != nil {
			return err
		}
	}
	r.tally.groupMods = r.sw.GroupMods()
	return fault
}

// errFile marks a fault of the file, after which what came before it still counts.
var errFile = errors.New("the capture is damaged")

func (r *replay) feedAll(ctx context.Context, frames iter.Seq2[capture.Frame, error]) error {
	for f, err := range frames {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errFile, err)
		}
		r.tally.packets++
		if r.start.IsZero() {
			r.start = f.At
		}
		if r.over(f.At) {
			continue // it still counts as a packet of the file
		}
		if err := r.feed(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// over says whether the clock is to stop before t.
func (r *replay) over(t time.Time) bool { return r.until > 0 && t.After(r.start.Add(r.until)) }

// feed moves the clock to the frame, with all that becomes due on the way at its own time, and hands
// the frame on.
func (r *replay) feed(ctx context.Context, f capture.Frame) error {
	for next, ok := r.cache.Next(); ok && !next.After(f.At); next, ok = r.cache.Next() {
		if err := r.advance(ctx, next); err != nil {
			return err
		}
	}
	if f.At.After(r.now) { // a capture may have frames out of order; the clock never goes back
		r.now = f.At
	}
	port := r.hosts.port(f.Data)
	result := r.snooper.Frame(snooper.Port(port), f.Data, r.now)
	for i := range result.Records {
		if err := r.apply(&result.Records[i]); err != nil {
			return err
		}
	}
	return r.advance(ctx, r.now)
}

// advance moves the clock and does what is due then.
func (r *replay) advance(ctx context.Context, now time.Time) error {
	r.now = now
	r.cache.Advance(now)
	for e, ok := r.watch.TryNext(); ok; e, ok = r.watch.TryNext() {
		if e.Kind == mcast.Left || e.Kind == mcast.Expired {
			r.ended[ending{e.Group, e.Member}] = e.Kind
		}
	}
	return r.cache.Flush(ctx)
}

// watched is how many endings at one instant are told apart; of more, the first are called left.
const watched = 4096

// apply hands a record to the cache. The seam is thin because both packages use the RFC's record types.
func (r *replay) apply(rec *snooper.Record) error {
	member := ofgroup.Port(rec.Port)
	r.hosts.learn(member, rec.Host.Addr)
	err := r.cache.Apply(mcast.Report[ofgroup.Port]{
		Group:   mcast.Group{Addr: rec.Group, Segment: uint32(rec.VLAN)},
		Member:  member,
		Kind:    mcast.Kind(rec.Kind),
		Sources: rec.Sources,
		Version: rec.Version,
		At:      rec.At,
	})
	if errors.Is(err, mcast.ErrLimit) || errors.Is(err, mcast.ErrInvalid) {
		r.tally.refused++ // what a stranger may send must not end the replay
		return nil
	}
	return err
}

// query is where an agent would send a specific query to the member. Here the capture has the
// querier's queries and the hosts' answers already.
func (r *replay) query(context.Context, mcast.QueryRequest[ofgroup.Port]) error {
	r.tally.queries++
	return nil
}

// Sync is called by the cache for each change of a group. It hands the state on to the sink that
// programs the switch and shows what came of it.
func (r *replay) Sync(ctx context.Context, s mcast.State[ofgroup.Port]) error {
	err := r.sink.Sync(ctx, s)
	if err != nil && !isRule(err) {
		return err
	}
	for member, change := range s.Changes() {
		r.tally.change(change.Kind)
		r.events.change(r.now.Sub(r.start), r.hosts, member, r.word(s.Group(), member, change), s.Group(), change)
	}
	for _, m := range r.sw.News() {
		r.events.groupMod(m)
	}
	if err != nil {
		r.tally.unprogrammed++
		r.events.failed(err)
	}
	r.tally.state(s)
	return nil
}

// isRule says that a group cannot be on any switch, however often it is tried: too many members, a
// port number that none has, no ID left. A capture may ask for that; the replay goes on.
func isRule(err error) bool {
	return errors.Is(err, ofgroup.ErrTooLarge) || errors.Is(err, ofgroup.ErrAction) || errors.Is(err, ofgroup.ErrNoFreeID)
}

// word says how a membership changed. One that ends was left, or has expired when its member was
// silent.
func (r *replay) word(g mcast.Group, m ofgroup.Port, c mcast.Change) string {
	kind := c.Kind
	if how, ok := r.ended[ending{g, m}]; ok && kind == mcast.Left {
		kind = how
	}
	delete(r.ended, ending{g, m})
	return kind.String()
}

// held says which groups the switch holds now, in the order of their IDs, as lines that
// ovs-ofctl add-groups takes.
func (r *replay) held() []string {
	var lines []string
	for g := range r.table.Groups() {
		lines = append(lines, fmt.Sprint(g))
	}
	return lines
}
