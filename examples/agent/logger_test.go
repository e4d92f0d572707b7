package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
	"github.com/ofmcast/ofmcast/ofgroup"
)

func TestTheLogSaysTheSameInJSON(t *testing.T) {
	said := make(map[bool]string)
	for _, asJSON := range []bool{false, true} {
		var b bytes.Buffer
		newLogger(options{logJSON: asJSON}, &b).Warn("text", "group", mcast.Group{Addr: netip.MustParseAddr("239.1.1.1"), Segment: 10},
			"filter", mcast.Filter{}, "change", mcast.Joined, "after", 1500*time.Millisecond, "err", errors.New("cause"),
			"port", ofgroup.Port(7), "n", 3, "empty", nil)
		said[asJSON] = b.String()
	}
	var line map[string]any
	require.NoError(t, json.Unmarshal([]byte(said[true]), &line))
	require.NotEmpty(t, line["time"])
	delete(line, "time")
	require.Equal(t, map[string]any{
		"level": "WARN", "msg": "text", "group": mcast.Group{Addr: netip.MustParseAddr("239.1.1.1"), Segment: 10}.String(),
		"filter": "INCLUDE{}", "change": "joined", "after": "1.5s", "err": "cause", "port": "7", "n": 3.0, "empty": nil,
	}, line)
	require.Contains(t, said[false], "filter=INCLUDE{} change=joined after=1.5s err=cause port=7 n=3")
}
