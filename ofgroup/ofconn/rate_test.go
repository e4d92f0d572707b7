package ofconn

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// taken is how many of so many tries, one a step, a meter lets through.
func taken(m *meter, start time.Time, tries int, step time.Duration) int {
	n := 0
	for i := range tries {
		if m.take(start.Add(time.Duration(i) * step)) {
			n++
		}
	}
	return n
}

func TestAMeterKeepsItsRateAndItsBurst(t *testing.T) {
	m := newMeter(Rate{PerSecond: 100, Burst: 20})
	require.Equal(t, 20, taken(&m, noon, 1000, 0), "at once")
	require.Equal(t, 100, taken(&m, noon.Add(10*time.Millisecond), 1000, time.Millisecond), "in the second that follows")
	require.False(t, m.full(noon.Add(time.Second)))
	require.True(t, m.full(noon.Add(2*time.Second)))
	require.Equal(t, 20, taken(&m, noon.Add(time.Hour), 1000, 0), "an hour saves up no more than a burst")
	require.Equal(t, 0, taken(&m, noon, 10, 0), "a clock that goes back gives nothing")
}

func TestAMeterSaysHowLongToWait(t *testing.T) {
	m := newMeter(Rate{PerSecond: 10})
	require.Zero(t, m.wait(noon))
	require.True(t, m.take(noon))
	require.Equal(t, 100*time.Millisecond, m.wait(noon))
	require.False(t, m.take(noon.Add(99*time.Millisecond)))
	require.Zero(t, m.wait(noon.Add(100*time.Millisecond)))
	require.True(t, m.take(noon.Add(100*time.Millisecond)))
}

func TestWithoutARateNothingIsBounded(t *testing.T) {
	for _, r := range []Rate{{}, {Burst: 1}, {PerSecond: -1}} {
		m := newMeter(r)
		require.Equal(t, 1000, taken(&m, noon, 1000, 0))
	}
	m := newMeter(Rate{PerSecond: math.MaxInt})
	require.Equal(t, 1000, taken(&m, noon, 1000, time.Nanosecond))
}

func TestEachPortHasARateOfItsOwn(t *testing.T) {
	p := newPortRates(Rate{PerSecond: 10, Burst: 3})
	for port := range ofgroup.Port(5) {
		for i := range 10 {
			require.Equal(t, i < 3, p.take(port, noon), "port %d, packet %d", port, i)
		}
	}
	require.True(t, p.take(1, noon.Add(time.Second)))
}

// A switch that makes up ports fills no memory, and the ports that were there first are
// still told apart.
func TestThereIsABoundOnThePortsThatAreToldApart(t *testing.T) {
	p := newPortRates(Rate{PerSecond: 1, Burst: 2})
	for port := range ofgroup.Port(2 * maxRatedPorts) {
		p.take(port, noon)
	}
	require.Len(t, p.ports, maxRatedPorts)
	require.True(t, p.take(1, noon))
	require.False(t, p.take(1, noon))
	require.False(t, p.take(3*maxRatedPorts, noon), "the others share one measure")

	// Once they are silent they make room.
	later := noon.Add(time.Minute)
	require.True(t, p.take(3*maxRatedPorts, later))
	require.Len(t, p.ports, 1)
}
