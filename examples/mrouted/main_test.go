package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// asProgram makes the test's binary the program itself, for tests that start it in a namespace.
const asProgram = "MROUTED_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func parse(t *testing.T, args ...string) options {
	t.Helper()
	o, err := parseOptions(args, io.Discard)
	require.NoError(t, err)
	return o
}

func TestOptions(t *testing.T) {
	for _, args := range []string{"", "-inside a", "-outside b", "-inside a -outside b c", "-inside a,b -outside b", "-inside a,a -outside b",
		"-inside a, -outside b", "-inside a -outside b -version 1", "-inside a -outside b -version 4", "-inside a -outside b -table 1000000000",
		"-inside a -outside b -interval 1s -response 2s", "-inside a -outside b -interval 1ms", "-x"} {
		_, err := parseOptions(strings.Fields(args), io.Discard)
		require.Error(t, err, args)
	}
	o := parse(t, "-inside", "a,b", "-inside", "c", "-outside", "d,e", "-table", "999999999")
	require.Equal(t, []string{"a", "b", "c"}, o.inside)
	require.Equal(t, []string{"d", "e"}, o.outside)

	var help bytes.Buffer
	_, err := parseOptions([]string{"-help"}, &help)
	require.True(t, errors.Is(err, flag.ErrHelp))
	for l := range strings.Lines(help.String()) {
		require.LessOrEqual(t, len(strings.TrimSuffix(l, "\n")), 110, l)
	}
}

// Whatever is in an object is explained.
func TestTheHelpNamesEveryKey(t *testing.T) {
	var help bytes.Buffer
	_, _ = parseOptions([]string{"-help"}, &help)
	for _, word := range []string{"inside", "outside", "table", "version", "interval_s", "response_s", "problem", "blocks", "detail", "remedy",
		"interface", "up", "querier", "elected", "source", "group", "mode", "sources", "in,", "out", "interfaces", "groups", "members", "age_s",
		"left_s", "leaving", "routes", "packets", "rate", "wrong_if", "joins", "sent", "failed", "reports", "refused", "unrouted"} {
		require.Contains(t, help.String(), word)
	}
}
