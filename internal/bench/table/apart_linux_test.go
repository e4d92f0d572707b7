package table

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// apart gives the client and the switch a processor each, where there are just two. There the client's
// threads would else displace the switch, which a bare client that sleeps most of the time does not do;
// where there are more processors nobody is in the other's way.
func apart(tb testing.TB, lab *ovslab.Lab) {
	tb.Helper()
	var both unix.CPUSet
	require.NoError(tb, unix.SchedGetaffinity(0, &both))
	if both.Count() != 2 {
		return
	}
	var each []unix.CPUSet
	for cpu := 0; len(each) < 2; cpu++ {
		if both.IsSet(cpu) {
			each = append(each, unix.CPUSet{})
			each[len(each)-1].Set(cpu)
		}
	}
	vswitch, err := switchPID(lab.Dir())
	require.NoError(tb, err)
	require.NoError(tb, pin(vswitch, each[0]))
	require.NoError(tb, pin(os.Getpid(), each[1]))
	tb.Cleanup(func() { require.NoError(tb, pin(os.Getpid(), both)) })
}

// pin has all threads of a process, and those that they start, run on these processors only.
func pin(pid int, on unix.CPUSet) error {
	threads, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task/*"))
	for _, thread := range threads {
		tid, _ := strconv.Atoi(filepath.Base(thread))
		if fault := unix.SchedSetaffinity(tid, &on); fault != nil && fault != unix.ESRCH {
			err = fault
		}
	}
	return err
}
