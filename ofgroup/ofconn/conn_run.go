package ofconn

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Run connects, and connects again whenever the connection ends or an attempt
// fails, until ctx ends. Then it closes the connection, waits for the handler
// that may be running, and returns nil. It fails at once with
// ofgroup.ErrVersion if Config asks for a version that is not spoken here, with
// ErrNoDial if it cannot dial, and with ErrRunning if another Run is at work.
func (c *Conn) Run(ctx context.Context) error {
	if err := c.cfg.check(); err != nil {
		return fmt.Errorf("ofconn: %w", err)
	}
	if !c.setRunning(true) {
		return fmt.Errorf("ofconn: %w", ErrRunning)
	}
	defer c.setRunning(false)
	var handlers sync.WaitGroup
	defer handlers.Wait()
	defer c.inbox.close()
	c.inbox.reopen()
	handlers.Go(c.inbox.run)

	c.keepConnected(ctx)
	return nil
}

// setRunning returns false if that is how it is already.
func (c *Conn) setRunning(running bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed := c.running != running
	c.running = running
	return changed
}

// keepConnected makes one connection after the other until ctx ends.
func (c *Conn) keepConnected(ctx context.Context) {
	wait := backoff{least: c.cfg.MinBackoff, most: c.cfg.MaxBackoff}
	var told time.Time // when everybody last heard of a failure in this row
	for tries := 1; ctx.Err() == nil; tries++ {
		lasted, err := c.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if lasted > 0 {
			tries, told = 1, time.Time{}
		}
		pause := wait.after(lasted)
		c.tellFailure(&told, "after", pause, "tries", tries, "error", err)
		sleep(ctx, pause)
	}
}

// tellFailure logs that there is no connection: the first failure in a row, and one a
// minute of the others, are for everybody to see, the rest for who looks closely.
func (c *Conn) tellFailure(told *time.Time, args ...any) {
	const text = "openflow connection will be tried again"
	if now := time.Now(); now.Sub(*told) >= lineEvery {
		*told = now
		c.cfg.lasting.log.log(slog.LevelWarn, text, args...)
		return
	}
	c.cfg.Logger.Debug(text, args...)
}

// sleep returns after d or at the end of ctx.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// once makes one connection and returns, when nothing is left of it, how long it
// was connected, 0 if it never was, and why it ended.
func (c *Conn) once(ctx context.Context) (time.Duration, error) {
	s, err := c.attempt(ctx)
	if err != nil {
		c.disconnected(err)
		return 0, err
	}
	lasted, err := c.serve(ctx, s)
	c.disconnected(err)
	s.Close()
	c.inbox.discard()
	if c.cfg.OnDisconnect != nil {
		c.cfg.OnDisconnect(err)
	}
	return lasted, err
}

// attempt makes a connection that is fenced and has its settings. The error
// matches ofgroup.ErrDisconnected.
func (c *Conn) attempt(ctx context.Context) (*Session, error) {
	c.mu.Lock()
	c.stats.Attempts++
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	s, err := connect(ctx, c.cfg, c.inbox)
	if err != nil {
		return nil, err
	}
	if err = c.takeRole(ctx, s); err == nil {
		err = s.configure(ctx)
	}
	if err != nil {
		s.Close()
		c.inbox.discard()
		return nil, disconnected(err)
	}
	return s, nil
}

// serve has OnConnect bring the switch up to date, then lets everybody use the
// session until it ends.
func (c *Conn) serve(ctx context.Context, s *Session) (time.Duration, error) {
	defer context.AfterFunc(ctx, func() { s.fail(ErrClosed) })()
	if err := c.onConnect(ctx, s); err != nil {
		return 0, disconnected(fmt.Errorf("OnConnect: %w", err))
	}
	if err := s.Err(); err != nil {
		return 0, err // OnConnect had nothing to send, or did not look
	}
	c.cfg.lasting.log.log(slog.LevelInfo, "openflow connected", "version", s.Version())
	c.connected(s)
	since := time.Now()
	<-s.done
	return max(time.Since(since), 1), s.err
}

// onConnect calls Config.OnConnect. Its context has no deadline even if Run's
// has one, so that Config.Timeout holds for each call made with it.
func (c *Conn) onConnect(ctx context.Context, s *Session) error {
	if c.cfg.OnConnect == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s.running.Go(func() {
		<-s.done
		cancel()
	})
	return c.cfg.OnConnect(ctx, s)
}
