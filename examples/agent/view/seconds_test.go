package view_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/view"
)

func TestSecondsAreNumbersInJSON(t *testing.T) {
	for text, s := range map[string]view.Seconds{
		"0":        0,
		"270":      view.Seconds(270 * time.Second),
		"0.25":     view.Seconds(250 * time.Millisecond),
		"-1.5":     view.Seconds(-1500 * time.Millisecond),
		"null":     view.Forever,
		"86400001": view.Seconds(86400001 * time.Second),
	} {
		out, err := json.Marshal(s)
		require.NoError(t, err)
		require.Equal(t, text, string(out))
		var back view.Seconds
		require.NoError(t, json.Unmarshal(out, &back))
		require.Equal(t, s, back)
	}
	var s view.Seconds
	require.Error(t, json.Unmarshal([]byte(`"1s"`), &s))
}

func TestSecondsAreWholeForPeople(t *testing.T) {
	require.Equal(t, "4m30s", view.Seconds(269600*time.Millisecond).String())
	require.Equal(t, "forever", view.Forever.String())
}
