package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/mcast"
)

func TestTheTimeToConfirmIsThatOfTheQueriesOfTheStart(t *testing.T) {
	timing := mcast.Timing{RV: 2, QI: 125 * time.Second, QRI: 10 * time.Second}
	require.Equal(t, 31250*time.Millisecond+10*time.Second+time.Second, confirmTime(timing))
	timing.NonQuerier = true
	require.Equal(t, 270*time.Second, confirmTime(timing))
}
