package mcast

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type timed struct {
	when instant
	at   int32
	link links[*timed]
}

func (x *timed) due() instant          { return x.when }
func (x *timed) place() *int32         { return &x.at }
func (x *timed) links() *links[*timed] { return &x.link }

// TestHeapGivesTheEarliest holds it against a search, with times that are
// changed and things that are taken out in between.
func TestHeapGivesTheEarliest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h heap[*timed]
		in := map[*timed]bool{}
		all := make([]*timed, 12)
		for i := range all {
			all[i] = &timed{}
		}
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			x := all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
			if rapid.Bool().Draw(t, "out") {
				h.remove(x)
				delete(in, x)
			} else {
				x.when = instant(rapid.IntRange(0, 9).Draw(t, "when"))
				h.update(x)
				in[x] = true
			}
			require.Equal(t, len(in), h.len())
			for x := range in {
				require.LessOrEqual(t, h.first().when, x.when)
			}
			for _, x := range all {
				require.Equal(t, in[x], x.at != 0)
			}
		}
	})
}

func TestListKeepsItsOrderWhateverIsTakenOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l list[*timed]
		var want []*timed
		all := make([]*timed, 6)
		for i := range all {
			all[i] = &timed{}
		}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			x := all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				if !x.link.in {
					want = append(want, x)
				}
				l.push(x)
			case 1:
				l.remove(x)
				for i, y := range want {
					if x == y {
						want = append(want[:i:i], want[i+1:]...)
						break
					}
				}
			default:
				if l.n > 0 {
					require.Same(t, want[0], l.pop())
					want = want[1:]
				}
			}
			require.Equal(t, len(want), l.n)
			if l.n > 0 {
				require.Same(t, want[0], l.head)
				require.Same(t, want[len(want)-1], l.tail)
			}
		}
	})
}
