package mcast_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

func TestTimingThatMakesNoSenseDoesNotOverflow(t *testing.T) {
	const most = 1 << 62
	for _, timing := range []mcast.Timing{
		{RV: most, QI: time.Hour}, {QI: most}, {QRI: most, RV: most, QI: most}, {LMQI: most, LMQC: most},
	} {
		require.Positive(t, timing.GMI(), "%+v", timing)
		require.Positive(t, timing.LMQT(), "%+v", timing)
		require.Positive(t, timing.OlderHost(), "%+v", timing)
	}
}
