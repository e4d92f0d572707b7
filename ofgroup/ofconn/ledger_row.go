package ofconn

// lengthenRow counts a call, which is not yet in the books, as the next of the row, or ends the row.
// Who is not alone does not pay for looking at the clock.
// The caller holds the lock.
func (l *ledger) lengthenRow(c *call) {
	if l.row++; !c.reads || len(l.calls) > l.alone || !l.tight() {
		l.row = 0
	}
}

// endRow has the next row begin anew.
func (l *ledger) endRow() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.row = 0
}

// lendable reports whether a long row is between two calls.
func (l *ledger) lendable() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.row >= rowToLend && len(l.calls) == l.alone
}
