package exchange

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ofmcast/ofmcast/examples/cluster/internal/engine"
)

// engineDir says that this process is an engine, and where it keeps its files; enginePort its port.
const (
	engineDir  = "OFMCAST_ENGINE_DIR"
	enginePort = "OFMCAST_ENGINE_PORT"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(engineDir); dir != "" {
		beEngine(dir, os.Getenv(enginePort))
		return
	}
	goleak.VerifyTestMain(m)
}

// beEngine runs until it is killed, or until the test that has started it is gone.
func beEngine(dir, port string) {
	n := 0
	_, _ = fmt.Sscan(port, &n)
	e, err := engine.StartAt(dir, n)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.URL())
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
}

// engineProcess is a real server in a process of its own, which can be killed as the kernel kills.
type engineProcess struct {
	t    *testing.T
	dir  string
	url  string
	cmd  *exec.Cmd
	hold *os.File // its standard input: closed when we end, however that is
}

func startEngine(t *testing.T) *engineProcess {
	t.Helper()
	e := &engineProcess{t: t, dir: t.TempDir() + "/jetstream"}
	e.start("-1")
	t.Cleanup(e.kill)
	return e
}

// restart starts it at the address where it was.
func (e *engineProcess) restart() {
	e.t.Helper()
	e.start(e.url[strings.LastIndex(e.url, ":")+1:])
}

func (e *engineProcess) start(port string) {
	e.t.Helper()
	self, err := os.Executable()
	require.NoError(e.t, err)
	e.cmd = exec.Command(self)
	e.cmd.Env = append(os.Environ(), engineDir+"="+e.dir, enginePort+"="+port)
	r, w, err := os.Pipe()
	require.NoError(e.t, err)
	e.cmd.Stdin, e.hold = r, w
	out, err := e.cmd.StdoutPipe()
	require.NoError(e.t, err)
	require.NoError(e.t, e.cmd.Start())
	_ = r.Close()
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(e.t, err)
	require.Contains(e.t, line, "nats://")
	e.url = strings.TrimSpace(line)
}

// kill is kill -9.
func (e *engineProcess) kill() {
	_ = e.cmd.Process.Kill()
	_ = e.cmd.Wait()
	_ = e.hold.Close()
}

// wipe removes what a killed engine had stored.
func (e *engineProcess) wipe() { require.NoError(e.t, os.RemoveAll(e.dir)) }
