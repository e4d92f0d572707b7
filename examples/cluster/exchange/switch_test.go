package exchange

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// forwarder is a sink that has a group on a switch for each row of the forwarding: ports by their
// number, nodes through a tunnel.
type forwarder[M comparable] struct {
	t     *testing.T
	as    func(M) member
	sw    *ofgrouptest.Switch
	table *ofgroup.Table

	mu  sync.Mutex
	ids map[row]ofgroup.ID
}

type row struct {
	group  mcast.Group
	source netip.Addr
}

func newForwarder[M comparable](t *testing.T, as func(M) member) *forwarder[M] {
	sw := ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})
	t.Cleanup(func() { require.NoError(t, sw.Close()) })
	session, err := ofconn.Open(t.Context(), ofconn.Config{Dial: sw.Dial})
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return &forwarder[M]{t: t, as: as, sw: sw, table: ofgroup.NewTable(session, ofgroup.TableConfig{}), ids: map[row]ofgroup.ID{}}
}

func (f *forwarder[M]) Sync(ctx context.Context, s mcast.State[M]) error {
	there := map[netip.Addr]bool{}
	for source, members := range s.Forwarding() {
		there[source] = true
		g := ofgroup.New(f.id(row{s.Group(), source}), ofgroup.All)
		for _, m := range sorted(members, f.as) {
			g = g.AddBuckets(bucketTo(m))
		}
		if _, err := f.table.Sync(ctx, g); err != nil {
			return err
		}
	}
	for _, r := range f.rows(s.Group()) {
		if !there[r.source] {
			if err := f.table.Delete(ctx, f.id(r)); err != nil {
				return err
			}
		}
	}
	return nil
}

func bucketTo(m member) ofgroup.Bucket {
	if m.port > 0 {
		return ofgroup.NewBucket(ofgroup.Output(ofgroup.Port(m.port)))
	}
	return ofgroup.NewBucket(ofgroup.Set(ofgroup.TunDst, netip.AddrFrom4([4]byte{172, 31, 0, m.node[0]})), ofgroup.Resubmit(111))
}

// id is the group of a row; it stays that for good.
func (f *forwarder[M]) id(r row) ofgroup.ID {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.ids[r]; !ok {
		f.ids[r] = ofgroup.ID(len(f.ids) + 1)
	}
	return f.ids[r]
}

func (f *forwarder[M]) rows(g mcast.Group) (all []row) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for r := range f.ids {
		if r.group == g {
			all = append(all, r)
		}
	}
	return all
}

// groups are the rows that the switch holds, each with its buckets.
func (f *forwarder[M]) groups() (lines []string) {
	for g := range f.all() {
		lines = append(lines, g)
	}
	slices.Sort(lines)
	return lines
}

func (f *forwarder[M]) all() map[string]bool {
	groups, err := f.sw.Groups()
	require.NoError(f.t, err)
	f.mu.Lock()
	defer f.mu.Unlock()
	held := map[string]bool{}
	for _, g := range groups {
		for r, id := range f.ids {
			if id == g.ID() {
				line := r.group.String() + " " + r.source.String()
				for b := range g.Buckets() {
					line += " " + b.String()
				}
				held[line] = true
			}
		}
	}
	return held
}
