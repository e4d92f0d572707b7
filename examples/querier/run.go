package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/ofmcast/ofmcast/examples/internal/igmpin"
	"github.com/ofmcast/ofmcast/igmp/igmpconn"
)

// program drives a monitor with an interface and the clock.
type program struct {
	*monitor
	view view
	conn *igmpconn.Conn // open now, or nil
	end  time.Time      // zero: a signal ends it

	opened bool      // it was open once
	shown  time.Time // when the view was shown last
}

// look is how often the interface is looked at and the view shown, whatever happens; pace is how
// often at most it is shown, however much happens.
const (
	look = time.Second
	pace = 50 * time.Millisecond
)

// waiting is how many inputs may be read ahead.
const waiting = 256

// run asks and shows until ctx ends, or the options say that it is enough.
func run(ctx context.Context, o options, v view) error {
	now := time.Now()
	p := &program{monitor: newMonitor(o, now), view: v}
	defer p.changes.Close()
	p.limit(now)

	ctx, cancel := context.WithCancel(ctx)
	inputs := make(chan igmpin.Input, waiting)
	var reading sync.WaitGroup
	reading.Go(func() { igmpin.Read(ctx, o.iface, into(ctx, inputs)) })
	defer reading.Wait()
	defer cancel()

	p.started()
	if err := p.open(ctx, inputs); err != nil {
		return err
	}
	err := p.loop(ctx, inputs)
	return errors.Join(err, p.show(time.Now()), p.view.finish(p.monitor))
}

// into gives what is read to the loop.
func into(ctx context.Context, inputs chan<- igmpin.Input) func(igmpin.Input) bool {
	return func(in igmpin.Input) bool {
		select {
		case inputs <- in:
			return true
		case <-ctx.Done():
			return false
		}
	}
}

// limit sets when the program ends.
func (p *program) limit(now time.Time) {
	switch {
	case p.opts.for_ > 0:
		p.end = now.Add(p.opts.for_)
	case p.opts.once: // the answers take as long as the query says, and a little
		q, _ := p.opts.newQuerier(sample)
		p.end = now.Add(q.State().Timing.QRI + time.Second)
	}
}

// open waits until the interface was opened for the first time. One that is not there then is a
// mistake; later it is waited for.
func (p *program) open(ctx context.Context, inputs <-chan igmpin.Input) error {
	select {
	case in := <-inputs:
		if errors.Is(in.Err, os.ErrPermission) {
			return fmt.Errorf("%w (it needs CAP_NET_RAW; root has it)", in.Err)
		}
		return p.take(in)
	case <-ctx.Done():
		return nil
	}
}

func (p *program) loop(ctx context.Context, inputs <-chan igmpin.Input) error {
	looked := time.Time{}
	for ctx.Err() == nil {
		now := time.Now()
		until := looked.Add(look)
		if !now.Before(until) {
			looked, until = now, now.Add(look)
			p.lookAtLink()
			p.forget()
		}
		p.advance(now)
		if !p.end.IsZero() && !now.Before(p.end) {
			return p.enough()
		}
		if len(p.events) > 0 || looked.Equal(now) {
			next := p.shown.Add(pace)
			if now.Before(next) {
				until = next
			} else if err := p.show(now); err != nil {
				return err
			}
		}
		if err := p.wait(ctx, inputs, until); err != nil {
			return err
		}
	}
	return nil
}

// show hands what happened to the view.
func (p *program) show(now time.Time) error {
	events := p.events
	p.events, p.shown = nil, now
	return p.view.show(p.monitor, events)
}

// wait takes in what comes until something is due.
func (p *program) wait(ctx context.Context, inputs <-chan igmpin.Input, until time.Time) error {
	if next, ok := p.next(); ok && next.Before(until) {
		until = next
	}
	if !p.end.IsZero() && p.end.Before(until) {
		until = p.end
	}
	return igmpin.Wait(ctx, inputs, until, p.take)
}

// take takes in what came from the interface.
func (p *program) take(in igmpin.Input) error {
	switch {
	case in.Conn != nil:
		p.conn, p.opened = in.Conn, true
		p.lookAtLink()
	case in.Err == nil:
		p.frame(in.Frame)
	case errors.Is(in.Err, igmpconn.ErrDown):
		p.lookAtLink()
	case igmpin.Passes(in.Err) && p.opened:
		if p.conn != nil {
			p.conn = nil
			p.detach()
		}
	default:
		return in.Err
	}
	return nil
}

// lookAtLink takes in what the interface is like now, and begins to ask when there is an address to
// ask from.
func (p *program) lookAtLink() {
	l, err := igmpconn.LinkByName(p.opts.iface)
	if err != nil || p.conn == nil {
		return // the reader will tell
	}
	if p.querier == nil && len(p.opts.addrs(l)) > 0 {
		if err := p.attach(l, p.conn.Send); err == nil && p.opts.once {
			p.limit(time.Now())
		}
		return
	}
	p.see(l)
}

// enough is the end that the options ask for. Who wanted the answers of one question must learn that
// nobody could be asked.
func (p *program) enough() error {
	if p.opts.once && (p.querier == nil || !p.link.Up) {
		return fmt.Errorf("%s is down or has no IPv4 address; with -proxy it needs none", p.opts.iface)
	}
	return nil
}
