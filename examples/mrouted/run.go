package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/ofmcast/ofmcast/examples/internal/igmpin"
	"github.com/ofmcast/ofmcast/igmp/igmpconn"
	"github.com/ofmcast/ofmcast/mroute"
)

// program drives a proxy with interfaces, the kernel's routing and the clock.
type program struct {
	*proxy
	*kernel
	view    view
	streams streams
	conns   map[*segment]*igmpconn.Conn // those that are open now
	inputs  chan input

	shown time.Time // when the view was shown last
}

// input is what comes to the loop: from an inside interface, or from a check.
type input struct {
	from *segment
	igmpin.Input
	findings []mroute.Finding
}

// look is how often the interfaces and the routes are looked at and the view shown, whatever happens; pace is how often
// at most it is shown, however much happens.
const (
	look = time.Second
	pace = 50 * time.Millisecond
)

// waiting is how many inputs may be read ahead.
const waiting = 256

// run forwards and shows until ctx ends.
func run(ctx context.Context, o options, v view) error {
	log := slog.New(slog.DiscardHandler)
	if !v.live() {
		log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	p := &program{proxy: newProxy(o, time.Now(), log), view: v, conns: map[*segment]*igmpconn.Conn{}, inputs: make(chan input, waiting)}
	defer p.changes.Close()
	var err error
	if p.kernel, err = openKernel(p.proxy, log); err != nil {
		return err
	}
	if err := p.follow(p.proxy); err != nil {
		return errors.Join(err, p.close())
	}
	p.started(p.socket.Table())
	wait := p.read(ctx)
	err = p.loop(ctx)
	wait()
	return errors.Join(err, p.finish(), p.close())
}

// read starts what reads ahead. What it returns ends that.
func (p *program) read(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	give := func(in input) bool {
		select {
		case p.inputs <- in:
			return true
		case <-ctx.Done():
			return false
		}
	}
	var reading sync.WaitGroup
	for _, s := range p.inside {
		reading.Go(func() {
			igmpin.Read(ctx, s.name, func(in igmpin.Input) bool { return give(input{from: s, Input: in}) })
		})
	}
	if p.opts.check {
		reading.Go(func() {
			found, err := p.check(ctx, p.opts)
			give(input{findings: found, Input: igmpin.Input{Err: err}})
		})
	}
	return func() { cancel(); reading.Wait() }
}

func (p *program) loop(ctx context.Context) error {
	looked := time.Time{}
	for ctx.Err() == nil {
		now := time.Now()
		until := looked.Add(look)
		if !now.Before(until) {
			looked, until = now, now.Add(look)
			if err := p.lookAround(ctx, now); err != nil {
				return err
			}
		}
		p.advance(now)
		if len(p.events) > 0 || looked.Equal(now) {
			next := p.shown.Add(pace)
			if now.Before(next) {
				until = next
			} else if err := p.show(now); err != nil {
				return err
			}
		}
		if err := p.wait(ctx, until); err != nil {
			return err
		}
	}
	return nil
}

// lookAround finds out what nobody tells: what the interfaces are like, and where the streams go.
func (p *program) lookAround(ctx context.Context, now time.Time) error {
	for _, s := range p.inside {
		p.lookAtLink(s)
	}
	changed, anew, err := p.upstream.look()
	for _, l := range changed {
		p.note(event{Event: "interface", Interface: l.name, Up: &l.up})
	}
	if anew {
		p.handle.Resync()
	}
	if err != nil {
		return err
	}
	return p.lookAtStreams(ctx, now)
}

func (p *program) lookAtStreams(ctx context.Context, now time.Time) error {
	s, err := p.router.Status(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range p.streams.update(s.Entries, now) {
		p.note(e)
	}
	return nil
}

// show hands what happened to the view.
func (p *program) show(now time.Time) error {
	events := p.events
	p.events, p.shown = nil, now
	return p.view.show(events, p.picture)
}

func (p *program) picture() snapshot {
	s := p.snapshot(p.streams.rows, p.upstream.joiner.Stats().Places)
	for _, l := range p.upstream.links {
		s.Interfaces = append(s.Interfaces, interfaceRow{Interface: l.name, Outside: true, Up: l.up})
	}
	return s
}

// finish shows what there is at the end.
func (p *program) finish() error {
	now := time.Now()
	err := p.lookAtStreams(context.Background(), now)
	if errors.Is(err, mroute.ErrEnded) {
		err = nil // which is why we end
	}
	return errors.Join(err, p.show(now), p.view.finish(p.picture()))
}

// wait takes in what comes until something is due.
func (p *program) wait(ctx context.Context, until time.Time) error {
	if next, ok := p.next(); ok && next.Before(until) {
		until = next
	}
	return igmpin.Wait(ctx, p.inputs, until, p.take)
}

// take takes in what was read ahead.
func (p *program) take(in input) error {
	switch s := in.from; {
	case s == nil:
		for _, f := range in.findings {
			p.found(f)
		}
		if in.Err != nil {
			return fmt.Errorf("check: %w", in.Err)
		}
	case in.Conn != nil:
		p.conns[s] = in.Conn
		p.lookAtLink(s)
	case in.Err == nil:
		p.frame(s, in.Frame)
	case errors.Is(in.Err, igmpconn.ErrDown):
		p.lookAtLink(s)
	case igmpin.Passes(in.Err):
		if p.conns[s] != nil {
			delete(p.conns, s)
			p.detach(s)
		}
		p.see(s, igmpconn.Link{})
	default:
		return in.Err
	}
	return nil
}

// lookAtLink takes in what an inside interface is like now, and begins to ask when there is an address to ask from.
func (p *program) lookAtLink(s *segment) {
	l, err := igmpconn.LinkByName(s.name)
	if err != nil || p.conns[s] == nil {
		return // the reader will tell
	}
	if s.querier == nil && len(l.Addrs) > 0 && p.attach(s, l, p.conns[s].Send) == nil {
		return
	}
	p.see(s, l)
}
