package ofconn

import (
	"math/rand/v2"
	"time"
)

// backoff says how long to wait before the next attempt.
type backoff struct{ least, most, next time.Duration }

// after is the wait after an attempt that ended. A connection that lasted
// starts the count afresh; one that is lost again at once does not, or a switch
// that throws everybody out would be called without a pause.
func (b *backoff) after(lasted time.Duration) time.Duration {
	if lasted >= b.most || b.next == 0 {
		b.next = b.least
	}
	d := b.next
	b.next = min(2*d, b.most)
	return d - rand.N(d/2+1)
}
