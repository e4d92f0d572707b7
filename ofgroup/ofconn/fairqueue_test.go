package ofconn

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// packet is the n-th packet of a port, in place of a real one.
type packet struct {
	port ofgroup.Port
	n    int
}

func (q *fairQueue) offer(port ofgroup.Port, n int) bool {
	return q.packet(port, arrival{what: packet{port, n}})
}

// drain takes everything and prints it.
func (q *fairQueue) drain() []string {
	var all []string
	for a, ok := q.next(); ok; a, ok = q.next() {
		switch e := a.what.(type) {
		case packet:
			all = append(all, fmt.Sprintf("%d.%d", uint32(e.port), e.n))
		case string:
			all = append(all, e)
		}
	}
	return all
}

func TestPortsTakeTurnsAndKeepTheirOrder(t *testing.T) {
	q := newFairQueue(100)
	for n := range 3 {
		q.offer(1, n)
	}
	q.offer(2, 0)
	q.offer(3, 0)
	q.offer(3, 1)
	require.Equal(t, []string{"1.0", "2.0", "3.0", "1.1", "3.1", "1.2"}, q.drain())
	require.Empty(t, q.ports)
	require.Zero(t, q.held)
}

func TestNewsIsDeliveredWhereItArrived(t *testing.T) {
	q := newFairQueue(100)
	q.news(arrival{what: "first"})
	q.offer(1, 0)
	q.offer(1, 1)
	q.offer(2, 0)
	q.news(arrival{what: "port 2 is gone"})
	q.news(arrival{what: "port 2 is back"})
	q.offer(2, 1)
	q.offer(1, 2)
	require.Equal(t, []string{
		"first", "1.0", "2.0", "1.1", "port 2 is gone", "port 2 is back", "2.1", "1.2",
	}, q.drain())
}

func TestAFloodLeavesRoomForOtherPorts(t *testing.T) {
	q := newFairQueue(120)
	flood := func(port ofgroup.Port) {
		for n := range 1000 {
			q.offer(port, n)
		}
	}
	flood(1)
	require.Equal(t, 60, q.held, "one port fills half")
	require.True(t, q.offer(9, 0))
	flood(2)
	flood(3)
	require.Less(t, q.held, 120)
	require.True(t, q.offer(8, 0), "there is room for one that has none")
}

func TestNewsIsBoundedAndPacketsAreNoNews(t *testing.T) {
	q := newFairQueue(10)
	for range maxNews {
		require.True(t, q.news(arrival{what: "news"}))
	}
	require.False(t, q.news(arrival{what: "too much"}))
	require.True(t, q.offer(1, 0))
	require.Len(t, q.drain(), maxNews+1)
	require.True(t, q.news(arrival{what: "again"}))
}

func TestNewsIsBoundedByItsBytes(t *testing.T) {
	q := newFairQueue(10)
	big := arrival{what: "news", size: maxNewsBytes / 2}
	require.True(t, q.news(big))
	require.True(t, q.news(big))
	require.False(t, q.news(arrival{what: "too much", size: 1}))
	_, ok := q.next()
	require.True(t, ok)
	require.True(t, q.news(big))
	require.Len(t, q.drain(), 2)
	require.Zero(t, q.bytes)
}

// Against a model: what is taken in comes out once, that of one port and all
// news in order, packets on their own side of the news, and never more than
// the limit waits.
func TestAnyMixtureComesOutInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const limit, ports = 12, 4
		q := newFairQueue(limit)
		sent, told, taken := [ports]int{}, 0, [ports]int{}
		side := map[packet]int{} // how much news came before a packet
		heard := 0
		take := func() {
			a, ok := q.next()
			switch e := a.what.(type) {
			case packet:
				require.Equal(t, taken[e.port], e.n)
				require.Equal(t, heard, side[e])
				taken[e.port]++
			case int:
				require.Equal(t, heard, e)
				heard++
			default:
				require.False(t, ok)
			}
		}
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				q.news(arrival{what: told})
				told++
			case 1, 2, 3:
				take()
			default:
				port := ofgroup.Port(rapid.IntRange(0, ports-1).Draw(t, "port"))
				p := packet{port, sent[port]}
				if q.offer(p.port, p.n) {
					side[p] = told
					sent[port]++
				}
			}
			require.LessOrEqual(t, q.held, limit)
		}
		for q.held > 0 || len(q.spans) > 1 {
			take()
		}
		require.Equal(t, sent, taken)
		require.Equal(t, told, heard)
		require.Empty(t, q.ports)
	})
}
