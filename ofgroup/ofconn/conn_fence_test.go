package ofconn_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// heldByDialer gives a test the connection that a Conn uses.
type heldByDialer struct {
	dial dialer
	mu   sync.Mutex
	last net.Conn
}

func (d *heldByDialer) Dial(ctx context.Context) (net.Conn, error) {
	c, err := d.dial(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = c
	return c, err
}

func (d *heldByDialer) current() net.Conn {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last
}

const (
	staleMods   = 4000
	staleGroups = 16
)

// staleBytes are GROUP_MODs that give every group an old state.
func staleBytes(t *testing.T) []byte {
	var all []byte
	for i := range staleMods {
		m, err := ports(ofgroup.ID(i%staleGroups), 1).Mod(ofgroup.AddOrMod, ofgroup.OpenFlow15)
		require.NoError(t, err)
		all, err = m.AppendBinary(all)
		require.NoError(t, err)
	}
	return all
}

// surviving has a Conn replay newer groups after its predecessor left unread
// GROUP_MODs behind, and returns how many of them the switch holds 300 ms later.
func surviving(t *testing.T, lab *ovslab.Lab, noFence bool) int {
	stale := staleBytes(t)
	d := &heldByDialer{dial: lab.Dial}
	replayed := make(chan struct{}, 2)
	conn := ofconn.New(ofconn.Config{
		Dial: d.Dial, NoFence: noFence, MinBackoff: time.Nanosecond, MaxBackoff: time.Nanosecond,
		OnConnect: func(ctx context.Context, s *ofconn.Session) error {
			for id := range ofgroup.ID(staleGroups) {
				if _, err := ports(id, 2).Commit(ctx, s); err != nil {
					return err
				}
			}
			replayed <- struct{}{}
			return nil
		},
	})
	running(t, conn)
	<-replayed

	_, err := d.current().Write(stale)
	require.NoError(t, err)
	require.NoError(t, d.current().Close())

	<-replayed
	require.NoError(t, conn.WaitConnected(t.Context()))
	time.Sleep(300 * time.Millisecond) // what is left over would be carried out by now
	held := 0
	for id := range ofgroup.ID(staleGroups) {
		g, ok, err := conn.GroupDesc(t.Context(), id)
		require.NoError(t, err)
		if ok && g.Equal(ports(id, 2)) {
			held++
		}
	}
	return held
}

// running runs a Conn for the length of the test and returns when it is
// connected.
func running(t testing.TB, conn *ofconn.Conn) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- conn.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
	})
	require.NoError(t, conn.WaitConnected(ctx))
}

func TestWhatADeadConnectionHadQueuedDoesNotOverwriteTheReplay(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	for try := range 10 {
		require.Equal(t, staleGroups, surviving(t, lab, false), "try %d", try)
	}
}

// The proof that the test above can fail: without fencing old messages do come
// through.
func TestWithoutFencingOldMessagesOverwriteNewerOnes(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	const tries = 20
	for range tries {
		if surviving(t, lab, true) < staleGroups {
			return
		}
	}
	t.Fatalf("in %d tries nothing was overwritten: the switch no longer needs fencing, or the test does not show it", tries)
}
