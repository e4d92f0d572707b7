package ofgrouptest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// Recorder is an ofgroup.Sender that keeps every message in memory and confirms it. It is
// safe for any number of goroutines. Make one with NewRecorder.
type Recorder struct {
	version ofgroup.Version

	mu   sync.Mutex
	mods []*ofgroup.Mod
	xid  uint32
	err  error
}

// NewRecorder is a Recorder that is spoken to in version v.
func NewRecorder(v ofgroup.Version) *Recorder { return &Recorder{version: v} }

// Version is the version given to NewRecorder.
func (r *Recorder) Version() ofgroup.Version { return r.version }

// Send keeps m. It fails, keeping nothing, if ctx is over or m cannot be encoded, with an
// error that matches ofgroup.ErrNotSent; and with the error set by Fail.
func (r *Recorder) Send(ctx context.Context, m *ofgroup.Mod) (ofgroup.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return ofgroup.Receipt{}, ofgroup.NotSent(err)
	}
	if _, err := m.MarshalBinary(); err != nil {
		return ofgroup.Receipt{}, ofgroup.NotSent(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if errors.Is(r.err, ofgroup.ErrNotSent) {
		return ofgroup.Receipt{}, r.err
	}
	r.xid++
	r.mods = append(r.mods, m)
	return ofgroup.Receipt{XID: r.xid, Confirmed: r.err == nil}, r.err
}

// Fail makes every later Send return err, until Fail(nil). With an error that matches
// ofgroup.ErrNotSent nothing is kept, as nothing would have reached a switch; with any
// other the message is kept.
func (r *Recorder) Fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

// Mods are the messages since the start, the last Reset or the last RequireOne.
func (r *Recorder) Mods() []*ofgroup.Mod {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.mods)
}

// Reset forgets the messages.
func (r *Recorder) Reset() { r.take() }

func (r *Recorder) take() []*ofgroup.Mod {
	r.mu.Lock()
	defer r.mu.Unlock()
	mods := r.mods
	r.mods = nil
	return mods
}

// TB is what RequireOne needs of a testing.TB.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

// RequireOne fails the test unless exactly one message was sent since the last RequireOne
// or Reset. It returns that message and forgets it, so that one line after each change
// asserts that the change was one GROUP_MOD.
func (r *Recorder) RequireOne(tb TB) *ofgroup.Mod {
	tb.Helper()
	mods := r.take()
	if len(mods) == 1 {
		return mods[0]
	}
	var lines strings.Builder
	for _, m := range mods {
		lines.WriteString("\n\t" + m.String())
	}
	tb.Fatalf("%d GROUP_MODs were sent, not one:%s", len(mods), lines.String())
	return nil
}
