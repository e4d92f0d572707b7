package ovslab

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// asOwner makes the test binary a program that starts a lab and dies without
// closing it, in the way that its value names.
const asOwner = "OVSLAB_TEST_OWNER"

func TestMain(m *testing.M) {
	if way := os.Getenv(asOwner); way != "" {
		ownLab(way)
	}
	goleak.VerifyTestMain(m)
}

// ownLab starts a lab, prints its directory, waits for a line, and ends badly.
func ownLab(way string) {
	lab, err := Start(context.Background(), Config{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(lab.Dir())
	_, _ = io.ReadFull(os.Stdin, make([]byte, 1))
	switch way {
	case "panic":
		panic("as the test wants it")
	case "exit":
		os.Exit(3)
	}
	select {} // until a signal
}
