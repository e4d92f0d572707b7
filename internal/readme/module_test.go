package readme

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// importPaths are the packages that a snippet may use, by the names it uses them by.
var importPaths = map[string]string{
	"context": "context", "fmt": "fmt", "hex": "encoding/hex", "log": "log", "netip": "net/netip", "time": "time",
	"igmp":        "github.com/ofmcast/ofmcast/igmp",
	"mcast":       "github.com/ofmcast/ofmcast/mcast",
	"mroute":      "github.com/ofmcast/ofmcast/mroute",
	"ofgroup":     "github.com/ofmcast/ofmcast/ofgroup",
	"ofgrouptest": "github.com/ofmcast/ofmcast/ofgroup/ofgrouptest",
}

// A snippet that is pasted into main of a new module compiles there, and prints what README.md says.
func TestSnippetsWorkInANewModule(t *testing.T) {
	dir := newModule(t)
	for _, s := range snippets(t) {
		program := filepath.Join(dir, "program")
		require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(asProgram(s.code)), 0o644))
		goIn(t, dir, "build", "-o", program, "main.go")
		if strings.Contains(s.code, "mroute.") {
			t.Run("routing", func(t *testing.T) { require.Equal(t, s.prints, routes(t, program)) })
			continue
		}
		require.Equal(t, s.prints, output(t, program))
	}
}

// newModule makes a module that depends on this one where it stands.
func newModule(t *testing.T) string {
	dir := t.TempDir()
	here, err := filepath.Abs(root)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), []byte(read(t, "go.sum")), 0o644))
	mod := strings.Replace(read(t, "go.mod"), "module github.com/ofmcast/ofmcast", "module example.com/new", 1)
	mod += "\nrequire github.com/ofmcast/ofmcast v0.0.0\nreplace github.com/ofmcast/ofmcast => " + here + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644))
	return dir
}

// asProgram puts code into main, as an editor does that adds the imports.
func asProgram(code string) string {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n")
	for name, path := range importPaths {
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(code) {
			b.WriteString("\t\"" + path + "\"\n")
		}
	}
	b.WriteString(")\n\nfunc main() {\n" + code + "}\n")
	return b.String()
}

func goIn(t *testing.T, dir string, args ...string) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "go %v: %s", args, out)
}

// routes runs a program in a network of its own and returns the kernel's routes after some packets.
func routes(t *testing.T, program string) string {
	if out, err := exec.Command("unshare", "-n", "ip", "mroute").CombinedOutput(); err != nil {
		if os.Getenv("CI") == "true" && runtime.GOOS == "linux" {
			t.Fatalf("no network namespace: %v: %s", err, out)
		}
		t.Skipf("needs root, unshare and ip for a network namespace: %v", err)
	}
	return output(t, "unshare", "-n", "bash", "testdata/routes.sh", program)
}

func output(t *testing.T, name string, args ...string) string {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", &stderr)
	return string(out)
}
