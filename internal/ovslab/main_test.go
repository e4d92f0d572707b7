package ovslab

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// asOwner makes the test binary a program that starts a lab and dies without
// closing it, in the way that its value names.
const asOwner = "OVSLAB_TEST_OWNER"

// waiting is a way to die while a tool waits for the switch.
const waiting = "SIGKILL while a tool waits"

func TestMain(m *testing.M) {
	if way := os.Getenv(asOwner); way != "" {
		ownLab(way)
	}
	goleak.VerifyTestMain(m)
}

// ownLab starts a lab, prints what startLabOrNet returns, waits for a line, and
// ends badly.
func ownLab(way string) {
	way, net := strings.CutPrefix(way, "net ")
	lab, what, err := startLabOrNet(net)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if way == waiting {
		_ = lab.KillSwitch()
		go func() { _, _ = lab.Vsctl(context.Background(), "add-port", lab.Bridge(), "p") }()
	}
	fmt.Println(what)
	_, _ = io.ReadFull(os.Stdin, make([]byte, 1))
	switch way {
	case "panic":
		panic("as the test wants it")
	case "exit":
		os.Exit(3)
	}
	select {} // until a signal
}

// startLabOrNet starts a lab and describes it: its directory, and for one with a
// host also files that are its namespaces, in which programs run.
func startLabOrNet(net bool) (*Lab, string, error) {
	ctx := context.Background()
	if !net {
		lab, err := Start(ctx, Config{})
		if err != nil {
			return nil, "", err
		}
		return lab, lab.Dir(), nil
	}
	lab, err := StartNet(ctx, NetConfig{Hosts: []HostConfig{{Name: "a"}}})
	if err != nil {
		return nil, "", err
	}
	a := lab.Host("a")
	// One program in a session of its own, which no signal to a group reaches. We
	// may die before it is in the namespace.
	err = a.Command(ctx, "/bin/sh", "-c", "setsid sleep 1000 & wait").Start()
	return lab.Lab, lab.Dir() + " " + lab.Node().path + " " + a.path, err
}
