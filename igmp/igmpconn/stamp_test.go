package igmpconn

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func stamp(t time.Time) control {
	b := binary.NativeEndian.AppendUint64(nil, uint64(t.Unix()))
	return control{stamp: readStamp(binary.NativeEndian.AppendUint64(b, uint64(t.Nanosecond())))}
}

func TestTheTimeIsTheKernelsOnOurClock(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		control control
		want    time.Duration
	}{
		"just now":          {stamp(now), 0},
		"waited":            {stamp(now.Add(-1500 * time.Millisecond)), -1500 * time.Millisecond},
		"clock set back":    {stamp(now.Add(time.Hour)), 0},
		"clock set forward": {stamp(now.Add(-time.Hour)), -time.Minute},
		"not said":          {control{}, 0},
		"cut":               {control{stamp: readStamp(make([]byte, stampSize-1))}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			at := c.control.at(now)
			require.Equal(t, c.want, at.Sub(now))
			require.Contains(t, at.String(), "m=", "a monotonic reading")
		})
	}
}
