package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ofmcast/ofmcast/examples/internal/igmpin"
	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/igmpconn"
)

// asProgram makes the test's binary the program itself, for tests that start it in a namespace.
const asProgram = "QUERIER_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func TestOptions(t *testing.T) {
	for _, args := range []string{"", "eth0", "-i eth0 x", "-i eth0 -version 4", "-i eth0 -version 0", "-i eth0 -for -1s", "-i eth0 -once -for 1s",
		"-i eth0 -interval 1s -response 2s", "-i eth0 -interval 1ms", "-i eth0 -version 2 -interval 60s -response 30s", "-x"} {
		_, err := parseOptions(strings.Fields(args), io.Discard)
		require.Error(t, err, args)
	}
	var help bytes.Buffer
	_, err := parseOptions([]string{"-help"}, &help)
	require.True(t, errors.Is(err, flag.ErrHelp))
	for _, l := range strings.Split(help.String(), "\n") {
		require.LessOrEqual(t, len(l), 110, l)
	}
	for _, word := range []string{"left_s", "leaving", "elected", "started", "joined, refiltered, left, expired", "-proxy", "SIGTERM"} {
		require.Contains(t, help.String(), word)
	}
}

// After a pause the answers that have come in it count before its end.
func TestAllThatHasComeIsTakenBeforeTimeMoves(t *testing.T) {
	r := newRig(t)
	frame, err := igmp.AppendFrame(nil, igmp.Header{EthSrc: igmp.MAC{2, 1}, Src: netip.MustParseAddr("192.0.2.1")}, join(group))
	require.NoError(t, err)
	inputs := make(chan igmpin.Input, waiting)
	for i := range 3 {
		inputs <- igmpin.Input{Frame: igmpconn.Frame{Data: frame, At: start.Add(time.Duration(i) * time.Second)}}
	}
	p := &program{monitor: r.monitor}
	require.NoError(t, p.wait(t.Context(), inputs, time.Time{}))
	require.EqualValues(t, 3, r.counts.reports)
	inputs <- igmpin.Input{Err: igmpconn.ErrLinkType}
	require.ErrorIs(t, p.wait(t.Context(), inputs, time.Time{}), igmpconn.ErrLinkType)
}

func TestAnInterfaceThatIsNotThereIsAMistake(t *testing.T) {
	o, err := parseOptions([]string{"-i", "nothing0"}, io.Discard)
	require.NoError(t, err)
	require.ErrorContains(t, run(t.Context(), o, newView(o, io.Discard, nil, false)), "nothing0: no such interface")
}
