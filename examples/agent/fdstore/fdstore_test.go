//go:build linux

package fdstore_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ofmcast/ofmcast/examples/agent/fdstore"
	"github.com/ofmcast/ofmcast/examples/agent/fdstore/fdstoretest"
)

// actAsService, in the environment, makes the test's program one that a service manager has started.
const actAsService = "OFMCAST_TEST_IS_SERVICE"

const keptFile = "a-file-that-is-kept"

func TestMain(m *testing.M) {
	if os.Getenv(actAsService) != "" {
		serve()
		return
	}
	goleak.VerifyTestMain(m)
}

// serve says what it was passed, and that it is passed once and to nobody else.
func serve() {
	files := fdstore.Received()
	if f := files.Take("kept"); f != nil {
		text, _ := io.ReadAll(f)
		fmt.Printf("kept: %s\n", text)
	}
	fmt.Println("left:", len(files), "again:", len(fdstore.Received()), "names:", os.Getenv("LISTEN_FDNAMES"))
	out, _ := exec.Command("ls", "-l", "/proc/self/fd").Output()
	fmt.Println("child has it:", strings.Contains(string(out), keptFile))
	files.Close()
}

func newStore(t *testing.T) *fdstoretest.Store {
	path := filepath.Join(t.TempDir(), "notify")
	s, err := fdstoretest.Listen(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	t.Setenv("NOTIFY_SOCKET", path)
	return s
}

func eventually(t *testing.T, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !cond(); time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end))
	}
}

// restart runs the service as the store's manager would, and returns what it said.
func restart(t *testing.T, s *fdstoretest.Store) string {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), actAsService+"=1")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	require.NoError(t, s.Attach(cmd))
	require.NoError(t, cmd.Run(), "%s", &said)
	return said.String()
}

func TestADescriptorComesBackToTheNextProcessAlone(t *testing.T) {
	s := newStore(t)
	path := filepath.Join(t.TempDir(), keptFile)
	require.NoError(t, os.WriteFile(path, []byte("hello"), 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	require.NoError(t, fdstore.Keep("other", f))
	require.NoError(t, fdstore.Keep("kept", f))
	require.NoError(t, f.Close())
	eventually(t, func() bool { return len(s.Names()) == 2 })
	require.NoError(t, fdstore.Drop("other"))
	eventually(t, func() bool { return len(s.Names()) == 1 })

	said := restart(t, s)
	require.Contains(t, said, "kept: hello\n")
	require.Contains(t, said, "left: 0 again: 0 names: \n")
	require.Contains(t, said, "child has it: false\n")
}

func TestTheWordsAreThoseOfSdNotify(t *testing.T) {
	s := newStore(t)
	f, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, fdstore.Keep("a", f))
	require.NoError(t, fdstore.Drop("a"))
	eventually(t, func() bool { return len(s.Messages()) == 2 })
	require.Equal(t, []string{"FDSTORE=1\nFDPOLL=0\nFDNAME=a", "FDSTOREREMOVE=1\nFDNAME=a"}, s.Messages())
}

func TestWithoutAServiceManagerNothingIsKept(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	f, err := os.Open(os.DevNull)
	require.NoError(t, err)
	require.ErrorIs(t, fdstore.Keep("a", f), fdstore.ErrNoStore)
	require.ErrorIs(t, fdstore.Drop("a"), fdstore.ErrNoStore)
	require.NoError(t, f.Close())
	require.Error(t, fdstore.Keep("a", f), "which is closed")
	require.Empty(t, fdstore.Received())

	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "nobody"))
	require.ErrorIs(t, fdstore.Drop("a"), os.ErrNotExist)
}

func TestWhatIsForAnotherProcessIsLeftAlone(t *testing.T) {
	self := fmt.Sprint(os.Getpid())
	for name, env := range map[string][2]string{
		"another process": {"1", "1"}, "no number": {self, "many"}, "negative": {self, "-1"}, "none": {self, "0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("LISTEN_PID", env[0])
			t.Setenv("LISTEN_FDS", env[1])
			t.Setenv("LISTEN_FDNAMES", "kept")
			require.Empty(t, fdstore.Received())
			_, set := os.LookupEnv("LISTEN_PID")
			require.False(t, set)
		})
	}
}
