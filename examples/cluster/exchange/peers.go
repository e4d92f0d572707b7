package exchange

import (
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// A lease has ten ticks, and is renewed every third of them.
const (
	ticksPerLease = 10
	ticksPerBeat  = 3
)

// silence is how long who was not heard of is believed: three renewals have not come, and the lease is not
// over.
func (ps *peers[M]) silence() time.Duration { return ps.lease * 9 / 10 }

// silent says that nothing comes from the engine, though the connection may look well: our own renewals do
// not come back. Who was heard at most three ticks before it fell silent is then not silent for too long
// yet; until it is heard again nobody is.
func (ps *peers[M]) silent(now time.Time) bool { return now.Sub(ps.own) > ps.lease*45/100 }

// peers is what the other nodes have written, and who of them is believed: what those want is in the
// cache, as what a remote owner holds for the member that stands for the node. It belongs to Run, is told
// the time, and does no I/O.
type peers[M comparable] struct {
	cfg       *Config[M]
	lease     time.Duration
	keep      time.Duration // 0 is for ever
	own       time.Time     // when our own lease came back from the engine last
	refreshed time.Time     // when the cache was told last of all that is believed
	round     int           // counts links: what was not written again in this one may be gone
	sweeping  time.Time     // when it is taken for gone; zero when that was done
	all       map[string]*peer[M]
	alive     int
	entries   int
	sources   int
}

// peer is one other node.
type peer[M comparable] struct {
	member   M
	owner    mcast.Owner
	heard    time.Time // when its lease was renewed last, or when the node was first heard of
	believed bool
	groups   map[mcast.Group]entry
	sources  int
}

type entry struct {
	want
	round int
}

func newPeers[M comparable](cfg *Config[M]) *peers[M] {
	return &peers[M]{cfg: cfg, lease: cfg.Lease, all: make(map[string]*peer[M])}
}

// find returns a node, and makes room for it when it is new. Nil is for those who are none of ours, and
// for those who are too many.
func (ps *peers[M]) find(node string, now time.Time) *peer[M] {
	if p := ps.all[node]; p != nil {
		return p
	}
	if len(ps.all) >= ps.cfg.Limits.Nodes {
		return nil
	}
	m, ok := ps.cfg.Member(node)
	if !ok {
		return nil
	}
	p := &peer[M]{member: m, heard: now, groups: make(map[mcast.Group]entry)}
	p.owner = mcast.Owner{Kind: mcast.Remote, ID: ps.cfg.Bucket + "/" + node}
	ps.all[node] = p
	return p
}

// heard believes a node whose lease was renewed, some time ago, unless that was so long ago that those who
// were here do not believe it any more.
func (ps *peers[M]) heard(node string, now time.Time, ago time.Duration) bool {
	p := ps.find(node, now)
	if p == nil {
		return false
	}
	if at := now.Add(-ago); !p.believed || at.After(p.heard) {
		p.heard = at
	}
	if !p.believed && ago < ps.silence() {
		p.believed = true
		ps.alive++
		ps.tell(p, now)
	}
	return true
}

// lost ends the belief in a node: all that it holds ends at once.
func (ps *peers[M]) lost(node string) {
	if p := ps.all[node]; p != nil && p.believed {
		p.believed = false
		ps.alive--
		ps.cfg.Cache.RemoveOwner(p.owner)
	}
}

// set notes what a node wants of a group. It says whether there was room.
func (ps *peers[M]) set(node string, g mcast.Group, w want, now time.Time) bool {
	p := ps.find(node, now)
	if p == nil {
		return false
	}
	old, known := p.groups[g]
	more := len(w.sources) - len(old.sources)
	lim := ps.cfg.Limits
	if !known && (len(p.groups) >= lim.Groups || ps.entries >= lim.Entries) ||
		more > 0 && (p.sources+more > lim.Sources || ps.sources+more > lim.Entries) {
		return false
	}
	if !known {
		ps.entries++
	}
	p.sources += more
	ps.sources += more
	p.groups[g] = entry{want: w, round: ps.round}
	return !p.believed || ps.apply(p, g, w, now)
}

// drop notes that a node wants nothing of a group.
func (ps *peers[M]) drop(node string, g mcast.Group, now time.Time) {
	p := ps.all[node]
	if p == nil {
		return
	}
	e, ok := p.groups[g]
	if !ok {
		return
	}
	delete(p.groups, g)
	ps.entries--
	p.sources -= len(e.sources)
	ps.sources -= len(e.sources)
	if p.believed {
		ps.apply(p, g, want{kind: mcast.ChangeToInclude}, now)
	}
}

// connected begins a new link, in which everybody writes anew what he has.
func (ps *peers[M]) connected(lease, keep time.Duration, now time.Time) {
	ps.lease, ps.keep = lease, keep
	ps.round++
	ps.sweeping = now
	ps.spare(now)
}

// heardUs notes that our own lease has come back: the engine is there.
func (ps *peers[M]) heardUs(now time.Time) {
	if ps.silent(now) {
		ps.spare(now)
	}
	ps.own = now
}

// spare gives everybody who is believed a whole lease anew, because nobody could be heard, and as long to
// write what has not come yet.
func (ps *peers[M]) spare(now time.Time) {
	ps.own = now
	if !ps.sweeping.IsZero() {
		ps.sweeping = now.Add(ps.lease)
	}
	for _, p := range ps.all {
		if p.believed {
			p.heard = now
		}
	}
}

// tick lets time pass. What is believed is kept fresh whether or not the engine is there; only when it is,
// and is heard, can anything be taken for gone.
func (ps *peers[M]) tick(now time.Time, linked bool) {
	if linked && !ps.silent(now) {
		ps.expire(now)
		ps.sweep(now)
	}
	if now.Sub(ps.refreshed) >= ps.lease*ticksPerBeat/ticksPerLease {
		ps.refresh(now)
	}
}

// expire ends the belief in who was silent for too long, and forgets who was for so long that the
// engine has too.
func (ps *peers[M]) expire(now time.Time) {
	for name, p := range ps.all {
		ago := now.Sub(p.heard)
		if p.believed && ago >= ps.silence() {
			ps.lost(name)
		}
		if !p.believed && ps.keep > 0 && ago > ps.keep+ps.silence() {
			ps.entries -= len(p.groups)
			ps.sources -= p.sources
			delete(ps.all, name)
		}
	}
}

// sweep drops what nobody has written in this link, once everybody had time to write anew what the engine
// may have lost.
func (ps *peers[M]) sweep(now time.Time) {
	if ps.sweeping.IsZero() || now.Before(ps.sweeping) {
		return
	}
	ps.sweeping = time.Time{}
	for name, p := range ps.all {
		for g, e := range p.groups {
			if e.round != ps.round {
				ps.drop(name, g, now)
			}
		}
	}
}

// refresh keeps alive in the cache what is believed. Should the exchange stop, the cache forgets all of
// it by itself.
func (ps *peers[M]) refresh(now time.Time) {
	ps.refreshed = now
	for _, p := range ps.all {
		if p.believed {
			ps.tell(p, now)
		}
	}
}

// tell puts all that a node wants into the cache.
func (ps *peers[M]) tell(p *peer[M], now time.Time) {
	for g, e := range p.groups {
		ps.apply(p, g, e.want, now)
	}
}

// apply says to the cache what a node wants of a group. What a remote owner says takes effect at once.
func (ps *peers[M]) apply(p *peer[M], g mcast.Group, w want, now time.Time) bool {
	return ps.cfg.Cache.Apply(mcast.Report[M]{
		Group:   g,
		Member:  p.member,
		Kind:    w.kind,
		Sources: w.sources,
		Owner:   p.owner,
		Lease:   3 * ps.lease,
		At:      now,
	}) == nil
}
