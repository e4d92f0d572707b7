package ofconn

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// came puts n requests in line, and returns what is written then.
func came(t *testing.T, l *ledger, n int) batch {
	t.Helper()
	for range n {
		require.NoError(t, enqueue(l, request()))
	}
	return l.take(nil)
}

// answered is the answer to the oldest barrier, and returns what is written then.
func answered(t *testing.T, l *ledger) batch {
	t.Helper()
	require.True(t, l.barrierReply(l.barriers[0].xid))
	return l.take(nil)
}

func TestAsManyGoTogetherAsAreUnderWay(t *testing.T) {
	l := newLedger(ofgroup.OpenFlow15, 0)
	require.Equal(t, 1, came(t, l, 1).messages, "who is alone is not held")
	require.Equal(t, 1, came(t, l, 1).messages, "nor is the second")
	require.Zero(t, came(t, l, 1).messages)
	require.Equal(t, 2, came(t, l, 1).messages)
	require.Zero(t, came(t, l, 3).messages)
	require.Equal(t, batch{messages: 4, barriers: 0}, sizes(came(t, l, 1)), "no room for a fourth barrier")
}

// sizes is b without its bytes.
func sizes(b batch) batch {
	b.bytes = nil
	return b
}

func TestCallersWhoComeAgainSplitIntoTwoHalves(t *testing.T) {
	const callers = 64
	l := newLedger(ofgroup.OpenFlow15, 0)
	for range callers {
		came(t, l, 1)
	}
	var last []int // the sizes of the writes in the last round
	for range 20 {
		last = nil
		require.True(t, l.barrierReply(l.barriers[0].xid))
		for l.patient[queued]+l.patient[written] < callers {
			if b := came(t, l, 1); b.messages > 0 {
				last = append(last, b.messages)
			}
		}
	}
	require.Len(t, last, 1)
	require.InDelta(t, callers/2, last[0], callers/8)
}

func TestWhatIsHeldGoesWithTheLastThatIsUnderWay(t *testing.T) {
	l := newLedger(ofgroup.OpenFlow15, 0)
	came(t, l, 1)
	came(t, l, 1)
	require.Zero(t, came(t, l, 1).messages)
	require.Equal(t, 1, answered(t, l).messages)

	ends := map[string]func(*call){
		"refused":   func(c *call) { require.True(t, firstOf(l.refuse(&ofgroup.SwitchError{XID: c.xid}))) },
		"abandoned": func(c *call) { require.True(t, l.abandon(c, io.EOF)) },
	}
	for how, end := range ends {
		t.Run(how, func(t *testing.T) {
			l = newLedger(ofgroup.OpenFlow15, 0)
			first, second := request(), request()
			require.NoError(t, enqueue(l, first, second))
			l.take(nil)
			require.Zero(t, came(t, l, 1).messages)
			<-l.wake
			end(first)
			<-l.wake
			require.Equal(t, 1, l.take(nil).messages)
		})
	}
}

func firstOf(a, _ bool) bool { return a }

func TestWhoCannotBeHeldTakesTheLineAlong(t *testing.T) {
	packetOut := func(l *ledger) error {
		c := request()
		c.unattended = true
		return enqueue(l, c)
	}
	others := map[string]func(*ledger) error{
		"packet-out": packetOut,
		"question": func(l *ledger) error {
			return enqueue(l, newCall(appendGroupDescRequest(nil, ofgroup.OpenFlow15, 1), openflow.TypeMultipartReply))
		},
		"long line": func(l *ledger) error {
			return enqueue(l, newCall(make([]byte, maxBatch), openflow.TypeBarrierReply))
		},
	}
	for name, comes := range others {
		t.Run(name, func(t *testing.T) {
			l := newLedger(ofgroup.OpenFlow15, 0)
			came(t, l, 10)
			require.Zero(t, came(t, l, 3).messages)
			require.NoError(t, comes(l))
			require.Equal(t, 4, l.take(nil).messages, "in its order, and at once")
			require.Zero(t, came(t, l, 3).messages)
		})
	}
	t.Run("echo", func(t *testing.T) {
		l := newLedger(ofgroup.OpenFlow15, 0)
		came(t, l, 10)
		came(t, l, 3)
		require.True(t, l.enqueueEcho(openflow.TypeEchoReply, 1, nil))
		b := l.take(nil)
		require.Len(t, b.bytes, openflow.HeaderLen)
		require.Zero(t, b.messages, "it is no reason to write more")
	})
}

func TestNobodyIsSeenInLineThreeTimes(t *testing.T) {
	l := newLedger(ofgroup.OpenFlow15, 0)
	came(t, l, 10)
	require.False(t, l.watch(), "there is no line")
	require.Zero(t, came(t, l, 3).messages)
	<-l.wake
	require.True(t, l.watch())
	require.False(t, l.watch(), "one is enough")

	require.True(t, l.look())
	require.Zero(t, l.take(nil).messages)
	require.True(t, l.look())
	<-l.wake
	require.Equal(t, 3, l.take(nil).messages)

	require.False(t, l.look(), "there is no line any more")
	require.Zero(t, came(t, l, 1).messages)
	<-l.wake
	require.True(t, l.watch())
	require.True(t, l.look())
	require.Zero(t, l.take(nil).messages, "the new one is seen for the first time")
}

func TestASmallWindowHoldsNobodyElse(t *testing.T) {
	l := newLedger(ofgroup.OpenFlow15, 0)
	l.window = unfencedWindow
	require.Equal(t, 5, came(t, l, 5).messages)
	require.Equal(t, 1, came(t, l, 1).messages)
}
