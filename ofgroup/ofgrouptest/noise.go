package ofgrouptest

import (
	"bufio"
	"context"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// NoiseConfig says how often a Noise spoils a message, in either direction: probabilities
// from 0 to 1. Its zero value spoils nothing.
type NoiseConfig struct {
	// Seed decides on everything that is left to chance. What it strikes depends on the
	// order in which messages come as well, so it makes failures alike, not equal.
	Seed uint64

	Cut      float64 // the connection ends before the message
	Truncate float64 // the connection ends in the middle of the message
	Twice    float64 // the message arrives two times, if the switch sent it
	Delay    float64 // the message, and all behind it, waits up to MaxDelay

	// MaxDelay is the longest delay; 0 means 5 ms.
	MaxDelay time.Duration
}

const defaultMaxDelay = 5 * time.Millisecond

// Noise stands between a controller and a switch, and spoils what they say: a chaos test's
// bad network. What a switch obeys is never doubled: no network does that. It works on whole OpenFlow messages over any kind of connection, to a Switch
// or a real one. It is safe for concurrent use.
type Noise struct {
	cfg     NoiseConfig
	quiet   atomic.Bool
	dialled atomic.Uint64
	struck  atomic.Uint64
	running sync.WaitGroup
}

// NewNoise returns a Noise at work.
func NewNoise(cfg NoiseConfig) *Noise {
	if cfg.MaxDelay == 0 {
		cfg.MaxDelay = defaultMaxDelay
	}
	return &Noise{cfg: cfg}
}

// Dial returns a function that makes connections by dial and spoils them. It fits
// ofconn.Config.Dial.
func (n *Noise) Dial(dial func(context.Context) (net.Conn, error)) func(context.Context) (net.Conn, error) {
	return func(ctx context.Context) (net.Conn, error) {
		far, err := dial(ctx)
		if err != nil {
			return nil, err
		}
		near, mine := net.Pipe()
		conn := n.dialled.Add(1)
		answers := spoiler{Noise: n, random: rand.New(rand.NewPCG(n.cfg.Seed, 2*conn)), twice: n.cfg.Twice}
		requests := spoiler{Noise: n, random: rand.New(rand.NewPCG(n.cfg.Seed, 2*conn+1))}
		n.running.Go(func() { answers.pump(far, mine) })
		n.running.Go(func() { requests.pump(mine, far) })
		return near, nil
	}
}

// Quiet ends the noise: from now on everything arrives as it was sent, on the connections
// that are open, too.
func (n *Noise) Quiet() { n.quiet.Store(true) }

// Struck is how many messages were spoiled.
func (n *Noise) Struck() uint64 { return n.struck.Load() }

// Wait returns when every connection has ended, and the goroutines with them.
func (n *Noise) Wait() { n.running.Wait() }

// spoiler is one direction of a connection.
type spoiler struct {
	*Noise
	random *rand.Rand
	twice  float64
}

// pump passes messages on until one of the two ends closes, then closes the other.
func (s spoiler) pump(from, to net.Conn) {
	defer func() { _ = from.Close(); _ = to.Close() }()
	r := bufio.NewReaderSize(from, 1<<16)
	for {
		m, err := readMessage(r)
		if err != nil {
			return
		}
		for _, part := range s.spoil(m) {
			if len(part) == 0 {
				return
			}
			if _, err := to.Write(part); err != nil {
				return
			}
		}
	}
}

// spoil is what becomes of a message; an empty part is the end of the connection.
func (s spoiler) spoil(m []byte) [][]byte {
	if s.quiet.Load() {
		return [][]byte{m}
	}
	if s.strikes(s.cfg.Delay) {
		time.Sleep(time.Duration(s.random.Int64N(int64(s.cfg.MaxDelay))))
	}
	switch {
	case s.strikes(s.cfg.Cut):
		return [][]byte{nil}
	case s.strikes(s.cfg.Truncate):
		return [][]byte{m[:1+s.random.IntN(len(m)-1)], nil}
	case s.strikes(s.twice):
		return [][]byte{m, m}
	}
	return [][]byte{m}
}

func (s spoiler) strikes(p float64) bool {
	if s.random.Float64() >= p {
		return false
	}
	s.struck.Add(1)
	return true
}
