//go:build !linux

package table

import (
	"testing"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// Elsewhere only the time that passes is measured.

func clientTime() (float64, error) { return 0, nil }

func switchTime(string) (float64, error) { return 0, nil }

func apart(testing.TB, *ovslab.Lab) {}
