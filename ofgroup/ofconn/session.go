package ofconn

import (
	"bufio"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// Session is one live connection to one switch. It implements ofgroup.Sender.
// See the package comment for what its methods promise.
type Session struct {
	cfg     Config
	conn    net.Conn
	version ofgroup.Version
	ledger  *ledger
	writer  writer
	stats   counters
	inbox   *inbox        // where events go
	bundles chan struct{} // holds a token for each bundle under way
	idle    idleCalls
	reader  *bufio.Reader // the read loop's, or of whoever it is lent to
	loan    loan

	done    chan struct{} // closed by fail
	failing sync.Once
	err     error // why it ended; readable once done is closed
	running sync.WaitGroup

	alarm *alarm // rings when a call's time is over
	born  time.Time
	heard atomic.Int64 // when the switch was last heard, in ns after born
}

func newSession(conn net.Conn, version ofgroup.Version, cfg Config, in *inbox) *Session {
	s := &Session{
		cfg: cfg, conn: conn, version: version, inbox: in,
		done: make(chan struct{}), born: time.Now(),
		alarm: newAlarm(), bundles: make(chan struct{}, maxBundles),
	}
	s.writer = writer{conn: conn, direct: newDirect(conn)}
	s.ledger = newLedger(version, helloXID)
	s.ledger.window, s.ledger.maxReply = cfg.window, cfg.MaxReply
	s.ledger.tight = func() bool { return s.sinceHeard() < maxPause }
	return s
}

// start starts the session's three goroutines; fail ends them.
func (s *Session) start(r *bufio.Reader) {
	s.reader = r
	s.loan.able = s.conn.SetReadDeadline(time.Time{}) == nil
	s.loan.back = make(chan struct{}, 1)
	s.running.Go(s.readLoop)
	s.running.Go(s.writeLoop)
	s.running.Go(s.keepAlive)
}

// sinceHeard is how long ago the switch was heard.
func (s *Session) sinceHeard() time.Duration {
	return time.Since(s.born) - time.Duration(s.heard.Load())
}

// Version is the OpenFlow version that was agreed on.
func (s *Session) Version() ofgroup.Version { return s.version }

// Done is closed when the session has ended, by Close or because of an error.
func (s *Session) Done() <-chan struct{} { return s.done }

// Err is nil while the session lives, and then why it ended: an error that
// matches ofgroup.ErrDisconnected and the cause, such as ErrClosed,
// ErrDeadPeer, ErrProtocol or io.EOF.
func (s *Session) Err() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}

// Close ends the session: pending calls fail, the connection is closed, and
// nothing of the session runs any more when Close returns. What was written is
// not waited for. It may be called more than once and at the same time; it
// always returns nil.
func (s *Session) Close() error {
	s.fail(ErrClosed)
	s.running.Wait()
	return nil
}

// fail ends the session, once: the first cause is the one that counts. It
// waits for nobody, so the session's own goroutines may call it.
func (s *Session) fail(cause error) {
	s.failing.Do(func() {
		s.err = disconnected(cause)
		// TLS says farewell before it closes, for which a peer that does not read
		// makes it wait: let that delay Close alone.
		s.running.Go(func() { s.conn.Close() })
		close(s.done)
		s.ledger.end(s.err)
		s.cfg.lasting.log.log(slog.LevelInfo, "openflow session ended", "error", s.err)
	})
}
