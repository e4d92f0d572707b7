package main

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/cluster/internal/engine"
)

func TestTheTrialShowsWhoKnowsWhat(t *testing.T) {
	var out bytes.Buffer
	o, err := parseOptions([]string{"-embedded", "-lease", "2s", "-script", "-"}, io.Discard)
	require.NoError(t, err)
	o.quiet = 600 * time.Millisecond
	require.NoError(t, run(t.Context(), o, strings.NewReader(`
# a comment
a join 239.1.1.1 1
c join 232.1.1.1@10 2 192.0.2.1
b kill
b show
engine kill
a leave 239.1.1.1 1
engine start
engine start
b start
wait 1s
nonsense
`), &out))
	blocks := strings.Split(out.String(), "\n> ")
	find := func(command string) string {
		for _, b := range blocks {
			if strings.HasPrefix(b, command+"\n") {
				return b
			}
		}
		require.Fail(t, "no such command", "%s in %s", command, &out)
		return ""
	}
	require.Regexp(t, `239.1.1.1 +port 1 +a +a\n`, find("a join 239.1.1.1 1"))
	require.Regexp(t, `232.1.1.1@10 +c INCLUDE\{192.0.2.1\} +c INCLUDE\{192.0.2.1\} +port 2 INCLUDE\{192.0.2.1\}`, find("c join 232.1.1.1@10 2 192.0.2.1"))
	require.Regexp(t, `group +a knows +b \(dead\) knows +c knows`, find("b kill"))
	require.Contains(t, find("b show"), "neither a command nor a living node")
	require.Regexp(t, `232.1.1.1@10 +c INCLUDE\{192.0.2.1\} +c INCLUDE\{192.0.2.1\} +port 2`, find("b start"))
	require.Regexp(t, `239.1.1.1 +- +- +a\n`, find("a leave 239.1.1.1 1"), "c still believes what it knew")
	require.Contains(t, out.String(), "engine: is there already")
	require.Regexp(t, `232.1.1.1@10 +c INCLUDE\{192.0.2.1\} +c INCLUDE\{192.0.2.1\} +port 2`, find("wait 1s"))
	require.NotContains(t, find("wait 1s"), "239.1.1.1 ")
	require.Contains(t, find("nonsense"), "neither")
}

// Every line of the built-in script is a command.
func TestTheBuiltInScript(t *testing.T) {
	for line := range strings.Lines(builtIn) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 2:
			continue // engine, kill, start, wait
		default:
			_, err := parseReport(words[1:], time.Now())
			require.NoError(t, err, line)
		}
	}
}

func TestOneNodeAtAnEngine(t *testing.T) {
	e, err := engine.Start(t.TempDir())
	require.NoError(t, err)
	defer e.Stop()
	other, err := startNode(options{bucket: "ofmcast", lease: 15 * time.Second}, e.URL(), "other", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoError(t, apply(other, []string{"join", "239.9.9.9", "4"}))

	var out bytes.Buffer
	o, err := parseOptions([]string{"-nats", e.URL(), "-node", "me"}, io.Discard)
	require.NoError(t, err)
	require.NoError(t, run(t.Context(), o, strings.NewReader("wait 2s\njoin 239.1.1.1 x\njoin 239.1.1.1 3\nwait 500ms\nshow\n"), &out))
	require.Contains(t, out.String(), "239.9.9.9 other joined EXCLUDE{}\n")
	require.Contains(t, out.String(), `port "x" is not a number`)
	require.Regexp(t, `239.1.1.1 +port 3\n +239.9.9.9 +other\n`, out.String())
	require.NoError(t, other.kill())
}

func TestOptions(t *testing.T) {
	for _, args := range [][]string{
		{}, {"-embedded", "-nats", "x"}, {"-embedded", "x"}, {"-embedded", "-lease", "1ms"}, {"-embedded", "-keep", "1s"},
		{"-nats", "x", "-script", "y"}, {"-lease", "-1s", "-embedded"}, {"-what"},
	} {
		_, err := parseOptions(args, io.Discard)
		require.Error(t, err, args)
	}
	require.Error(t, run(t.Context(), options{embedded: true, script: "/nonexistent"}, nil, io.Discard))
}

func TestCommands(t *testing.T) {
	at := time.Unix(1, 0)
	for line, want := range map[string]string{
		"join 239.1.1.1 3":              "TO_EX 239.1.1.1 port 3 []",
		"join 239.1.1.1@10 3 192.0.2.1": "TO_IN 239.1.1.1@10 port 3 [192.0.2.1]",
		"leave ff3e::1 1":               "TO_IN ff3e::1 port 1 []",
		"join 239.1.1.1":                "",
		"leave 239.1.1.1 3 192.0.2.1":   "",
		"join 239.1.1.1 0":              "",
		"join 239.1.1.1@x 1":            "",
		"join nobody 1":                 "",
		"join 239.1.1.1 1 nobody":       "",
		"part 239.1.1.1 1":              "",
	} {
		r, err := parseReport(strings.Fields(line), at)
		require.Equal(t, want == "", err != nil, line)
		if err == nil {
			require.Equal(t, want, strings.Join([]string{r.Kind.String(), r.Group.String(), r.Member.String(), text(r.Sources)}, " "))
		}
	}
}

func text[T interface{ String() string }](list []T) string {
	var words []string
	for _, v := range list {
		words = append(words, v.String())
	}
	return "[" + strings.Join(words, " ") + "]"
}
