package main

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// source is what is asked of a switch; *ofconn.Session is one.
type source interface {
	Version() ofgroup.Version
	GroupStats(ctx context.Context, id ofgroup.ID) ([]ofgroup.GroupStats, error)
	GroupDesc(ctx context.Context, id ofgroup.ID) (ofgroup.Group, bool, error)
	Ports(ctx context.Context) ([]ofconn.PortDesc, error)
}

// snapshot is what a switch had at one time.
type snapshot struct {
	at      time.Time
	version ofgroup.Version
	entries []entry // by ID
	names   map[ofgroup.Port]string
}

// entry is one group. Its counters belong to its buckets only if there are as many.
type entry struct {
	stats     ofgroup.GroupStats
	group     ofgroup.Group
	described bool // or it was too large to ask for
}

// read asks for the statistics of all groups, and then for one description after the other: the
// description of all is what brings a switch down if a single one of them is too large.
func read(ctx context.Context, sw source, describe int) (*snapshot, error) {
	ports, err := sw.Ports(ctx)
	if err != nil {
		return nil, err
	}
	all, err := sw.GroupStats(ctx, ofgroup.AllGroups)
	if err != nil {
		return nil, err
	}
	s := &snapshot{at: time.Now(), version: sw.Version(), names: make(map[ofgroup.Port]string, len(ports))}
	for _, p := range ports {
		s.names[p.Number] = p.Name
	}
	for _, stats := range all {
		e := entry{stats: stats}
		if len(stats.Buckets) <= describe {
			there, err := e.describe(ctx, sw)
			if err != nil {
				return nil, err
			}
			if !there {
				continue // it is gone since
			}
		}
		s.entries = append(s.entries, e)
	}
	slices.SortFunc(s.entries, func(a, b entry) int { return cmp.Compare(a.stats.ID, b.stats.ID) })
	return s, nil
}

// describe asks for the group, and for its statistics again if they are of other buckets: somebody
// has changed it in between. false if it is gone.
func (e *entry) describe(ctx context.Context, sw source) (there bool, err error) {
	if e.group, e.described, err = sw.GroupDesc(ctx, e.stats.ID); err != nil || !e.described {
		return false, err
	}
	if e.group.Len() == len(e.stats.Buckets) {
		return true, nil
	}
	again, err := sw.GroupStats(ctx, e.stats.ID)
	if len(again) == 1 {
		e.stats = again[0]
	}
	return true, err
}
