package main

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// actAsAgent, in the environment, makes the test's program the agent itself: the kernel's routing
// belongs to a network namespace, so the agent that does it runs in one, as a process of its own.
const actAsAgent = "OFMCAST_TEST_IS_AGENT"

func TestMain(m *testing.M) {
	if os.Getenv(actAsAgent) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}
