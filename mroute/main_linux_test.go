package mroute

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// The test binary is also the process that a routing socket is handed to.
func TestMain(m *testing.M) {
	if os.Getenv(successorEnv) != "" {
		os.Exit(successor())
	}
	goleak.VerifyTestMain(m)
}

const successorEnv = "MROUTE_TEST_SUCCESSOR"
