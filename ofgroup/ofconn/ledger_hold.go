package ofconn

// Every write and every barrier costs both sides more than a message does. So a message
// that only a barrier answers waits in line while others of its kind are under way, until
// as many are in line as are under way: callers who come again as soon as they are answered
// then split into two halves, and while the switch is at one half the other is in line,
// whole, behind one barrier. A caller who is alone, and a second one, never wait. Nor does
// anybody lose much: the switch is at the others' messages meanwhile, and if it takes long
// over them, whoever watches the line comes by, twice within patience, and has it written.

// patient reports whether a call may wait in line.
func (c *call) patient() bool { return c.confirmed() && !c.unattended }

// move takes a call to its next stage.
func (l *ledger) move(c *call, to stage) {
	if c.stage == queued {
		l.size -= len(c.msg)
	}
	if c.patient() {
		l.patient[c.stage]--
		l.patient[to]++
	}
	c.stage = to
}

// held reports whether what is in line is to wait there.
func (l *ledger) held() bool {
	return len(l.queue) > 0 && len(l.queue) == l.patient[queued] && l.patient[queued] < l.patient[written] &&
		l.size < maxBatch && l.window == 0 && !l.overdue
}

// due reports whether there is something to write.
func (l *ledger) due() bool {
	if len(l.echoes) > 0 || len(l.queue) > 0 && !l.windowFull() && !l.held() {
		return true
	}
	wanted, urgent := l.wantsBarrier()
	return wanted && (len(l.barriers) < maxBarriers || urgent && l.idleBarrier() >= 0)
}

// unlock ends a change of the books, and wakes the write loop if it has now something to
// write or to watch.
func (l *ledger) unlock() {
	wake := l.due() || l.unwatched()
	l.mu.Unlock()
	if wake {
		l.nudge()
	}
}

// unwatched reports whether somebody has to begin to watch the line.
func (l *ledger) unwatched() bool { return l.held() && !l.watched }

// nudge wakes the write loop.
func (l *ledger) nudge() {
	select {
	case l.wake <- struct{}{}:
	default: // it has been told
	}
}

// watch is for whoever has found nothing due: it reports whether there is a line that
// nobody watches yet. Its caller then calls look after some time, and as long as look
// asks for it.
func (l *ledger) watch() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	unwatched := l.unwatched()
	l.watched = l.watched || unwatched
	return unwatched
}

// look has the line written if the first in it is the one that was seen at the last look.
func (l *ledger) look() (again bool) {
	l.mu.Lock()
	defer l.unlock()
	if l.watched = l.held(); !l.watched {
		return false
	}
	first := l.queue[0].xid
	l.overdue = first == l.seen
	l.seen = first
	return true
}
