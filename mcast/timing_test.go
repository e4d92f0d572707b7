package mcast_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

func TestTimingThatMakesNoSenseDoesNotOverflow(t *testing.T) {
	const most, ages = math.MaxInt, time.Duration(math.MaxInt64) // an int may be of 32 bits
	for _, timing := range []mcast.Timing{
		{RV: most, QI: time.Hour}, {QI: ages}, {QRI: ages, RV: most, QI: ages}, {LMQI: ages, LMQC: most},
	} {
		require.Positive(t, timing.GMI(), "%+v", timing)
		require.Positive(t, timing.LMQT(), "%+v", timing)
		require.Positive(t, timing.OlderHost(), "%+v", timing)
	}
}
