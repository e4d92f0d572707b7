package exchange

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const second = time.Second

// What a node has written counts while its lease is heard, and only then.
func TestNoEntryIsBelievedWithoutALease(t *testing.T) {
	p := play(t)
	p.put("b.0.239/1/1/1", "EXCLUDE")
	p.pass(20*second, "a")
	require.Empty(t, p.knowsOf(), "nobody has heard of b")
	p.renew("b")
	require.Equal(t, "1 b", p.knowsOf(), "at once")
	p.onLease(update{key: "b", gone: true})
	p.put("b.0.239/1/1/2", "EXCLUDE")
	p.pass(20*second, "a")
	require.Empty(t, p.knowsOf(), "b has left")
	p.renew("b")
	require.Equal(t, "1 b, 2 b", p.knowsOf())
}

func TestASilentNodeIsForgottenBeforeItsLeaseIsOver(t *testing.T) {
	p := play(t)
	p.renew("b", "c")
	p.put("b.0.239/1/1/1", "EXCLUDE")
	p.put("c.0.239/1/1/1", "EXCLUDE")
	p.pass(8*second, "a", "c")
	require.Equal(t, "1 b, c", p.knowsOf())
	p.pass(second, "a", "c")
	require.Equal(t, "1 c", p.knowsOf())
}

// Who starts takes a lease that he finds for as old as it is: a node that has died is forgotten when all
// others forget it, and not a lease after the start.
func TestALeaseThatIsFoundIsAsOldAsItIs(t *testing.T) {
	p := play(t)
	for key, age := range map[string]time.Duration{"b": 0, "c": 7 * second, "d": 9 * second} {
		p.put(key+".0.239/1/1/1", "EXCLUDE")
		p.found(key, age)
	}
	require.Equal(t, "1 b, c", p.knowsOf(), "d has died so long ago that nobody believes it")
	p.pass(second, "a")
	require.Equal(t, "1 b, c", p.knowsOf())
	p.pass(second, "a")
	require.Equal(t, "1 b", p.knowsOf())
	p.pass(7*second, "a")
	require.Empty(t, p.knowsOf())
	p.renew("d")
	require.Equal(t, "1 d", p.knowsOf())

	l := &link{began: p.time}
	require.Equal(t, 7*second, l.update(playedEntry{created: p.time.Add(-7 * second)}).age)
	require.Zero(t, l.update(playedEntry{created: p.time.Add(7 * second)}).age, "came since")
}

// An engine from which not even our own lease comes back says nothing about the others. When it speaks
// again, all get time to be heard.
func TestWhileTheEngineIsSilentNobodyIsForgotten(t *testing.T) {
	p := play(t)
	p.renew("b")
	p.put("b.0.239/1/1/1", "EXCLUDE")
	p.pass(30 * second) // nothing comes at all
	require.Equal(t, "1 b", p.knowsOf())
	p.pass(9*second, "a") // our lease after three seconds
	require.Equal(t, "1 b", p.knowsOf(), "has not had its time")
	p.pass(3*second, "a")
	require.Empty(t, p.knowsOf(), "has had it")
}

// After a loss of the connection others may come back later than we do, whether it was a long one or one so
// short that our own lease is still young.
func TestAReconnectGivesEverybodyANewLease(t *testing.T) {
	for _, away := range []time.Duration{second, 100 * second} {
		p := play(t)
		p.renew("b")
		p.put("b.0.239/1/1/1", "EXCLUDE")
		p.pass(6*second, "a")
		p.away = true
		p.pass(away)
		require.Equal(t, "1 b", p.knowsOf(), away)
		p.connect()
		p.pass(8*second, "a")
		require.Equal(t, "1 b", p.knowsOf(), away)
		p.pass(second, "a")
		require.Empty(t, p.knowsOf(), away)
	}
}

// An engine that comes back with nothing cannot say what is gone. What was not written again is taken for
// gone when all had a lease to do so, in which the engine was heard.
func TestWhatIsNotWrittenAgainGoesAfterALease(t *testing.T) {
	again := func(t *testing.T) *played {
		p := play(t)
		p.renew("b")
		p.put("b.0.239/1/1/1", "EXCLUDE")
		p.put("b.0.239/1/1/2", "EXCLUDE")
		p.pass(30*second, "a", "b")
		require.Equal(t, "1 b, 2 b", p.knowsOf(), "in one link nothing has to be written again")
		p.connect()
		p.renew("b")
		p.put("b.0.239/1/1/1", "EXCLUDE")
		return p
	}
	p := again(t)
	p.pass(9*second, "a", "b")
	require.Equal(t, "1 b, 2 b", p.knowsOf(), "b may still be about to")
	p.pass(second, "a", "b")
	require.Equal(t, "1 b", p.knowsOf())
	p.pass(60*second, "a", "b")
	require.Equal(t, "1 b", p.knowsOf())

	p = again(t)
	p.pass(9 * second) // the engine is silent
	p.pass(12*second, "a", "b")
	require.Equal(t, "1 b, 2 b", p.knowsOf(), "nine seconds after it was heard again")
	p.pass(second, "a", "b")
	require.Equal(t, "1 b", p.knowsOf())
}

// The cache forgets what it is told unless it is told again; that is for an exchange that has stopped.
func TestTheCacheIsKeptFresh(t *testing.T) {
	for _, away := range []bool{false, true} {
		p := play(t)
		p.renew("b")
		p.put("b.0.239/1/1/1", "EXCLUDE")
		p.away = away
		p.pass(300*second, "a", "b")
		require.Equal(t, "1 b", p.knowsOf(), "engine away: %v", away)
		p.cfg.Cache.Advance(p.time.Add(3*p.cfg.Lease + second))
		require.Empty(t, p.knowsOf(), "nobody ticks any more")
	}
}

// A dead node is forgotten when the engine has lost what it wrote.
func TestADeadNodeTakesNoRoomForEver(t *testing.T) {
	p := play(t)
	p.renew("b")
	p.put("b.0.239/1/1/1", "EXCLUDE 192.0.2.1")
	p.pass(time.Hour, "a")
	require.Len(t, p.peers.all, 1)
	p.pass(10*second, "a")
	require.Empty(t, p.peers.all)
	require.Zero(t, p.peers.entries+p.peers.sources+p.peers.alive)
}

// What is there under our own name is nobody else's membership, and takes no room of the others.
func TestTheOwnPrefixIsNotTakenIn(t *testing.T) {
	p := play(t, func(c *Config[member]) { c.Limits.Nodes = 1 })
	p.put("a.0.239/1/1/9", "EXCLUDE")
	p.renew("a", "b")
	p.put("b.0.239/1/1/1", "EXCLUDE")
	require.Equal(t, "1 b", p.knowsOf())
	require.Equal(t, 1, p.peers.entries)
	require.Equal(t, uint64(2), p.Statistics().Received, "b's two")
	require.Zero(t, p.Statistics().Refused)
}
