package main

import (
	"context"
	"errors"
	"time"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// trigger says that there is something to do. Any number of signals before it is done are one.
type trigger chan struct{}

func newTrigger() trigger { return make(trigger, 1) }

func (t trigger) signal() {
	select {
	case t <- struct{}{}:
	default: // it is to be done already
	}
}

const (
	// followPause lets changes that come together, as of many ports of one ovs-vsctl, be one.
	followPause = 50 * time.Millisecond
	// followRetry is after a refusal by the switch, and between attempts to reach the database.
	followRetry = 2 * time.Second
	// settingsTimeout bounds the reading of the database.
	settingsTimeout = 2 * time.Second
)

// followLoop keeps the switch at what its ports and their settings ask for.
func (a *agent) followLoop(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.follow:
		}
		pause := followPause
		if err := a.followNow(ctx); err != nil {
			pause = followRetry
			a.follow.signal()
			a.calm.Warn("ports not followed; trying again", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// followNow brings the switch to the layout of this moment. While it is away there is nothing to do:
// onConnect does it. While the database is away the settings are those of before, and watchSettings says
// so and signals its return.
func (a *agent) followNow(ctx context.Context) error {
	if err := a.readSettings(ctx); err != nil {
		a.log.Debug("settings of the bridge not read", "err", err)
	}
	a.programming.Lock()
	defer a.programming.Unlock()
	if a.handle == nil {
		return nil
	}
	l, n := a.newLayout()
	err := a.base.apply(ctx, a.conn, l)
	if n.members {
		a.handle.Resync()
	}
	a.tell(n)
	if errors.Is(err, ofgroup.ErrDisconnected) {
		return nil
	}
	return err
}

// tell has hosts asked and routers told what a new layout is a reason for.
func (a *agent) tell(n news) {
	if n.ask {
		a.askEverybody()
	}
	if n.routers && a.reports != nil {
		a.reports.Resync()
	}
	if n.nodes {
		a.nodes.begin()
	}
}

// newLayout makes the layout anew; see relayout.
func (a *agent) newLayout() (layout, news) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.relayout(time.Now())
	return a.layout, n
}

// readSettings reads what the database says of the bridge and its ports. On an error what was read
// before stays: ports that are not in it are not served.
func (a *agent) readSettings(ctx context.Context) error {
	if a.o.ovsdb == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, settingsTimeout)
	defer cancel()
	db, err := openDatabase(ctx, a.o)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	b, err := db.bridge(ctx)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.settings = &b
	return nil
}

// watchSettings has the ports followed whenever the database changes, at once. While it is away it is
// tried again every followRetry, and what changed meanwhile is seen then.
func (a *agent) watchSettings(ctx context.Context) error {
	away := false
	for a.o.ovsdb != "" {
		watched, err := a.watchDatabase(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if watched || !away { // once for each time that it goes away
			a.log.Warn("changes of the bridge's settings are not seen for now", "err", err)
		}
		away = true
		select {
		case <-ctx.Done():
		case <-time.After(followRetry):
		}
	}
	<-ctx.Done()
	return nil
}

// watchDatabase does it for as long as one connection to the database lasts, and says whether there was
// one.
func (a *agent) watchDatabase(ctx context.Context) (watched bool, err error) {
	db, err := openDatabase(ctx, a.o)
	if err != nil {
		return false, err
	}
	defer func() { _ = db.Close() }()
	if err := db.Watch(ctx); err != nil {
		return false, err
	}
	for err == nil {
		a.follow.signal()
		err = db.AwaitChange(ctx)
	}
	return true, err
}
