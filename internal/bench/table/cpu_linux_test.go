package table

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// clientTime is the processor time of this process so far, in seconds.
func clientTime() (float64, error) {
	var used syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9, err
}

// switchTime is the processor time of all threads of the switch in a lab's directory, in seconds.
func switchTime(dir string) (float64, error) {
	pid, err := switchPID(dir)
	if err != nil {
		return 0, err
	}
	threads, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task/*/schedstat"))
	if err != nil {
		return 0, err
	}
	total := 0.
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			return 0, err
		}
		var ns float64
		if _, err := fmt.Sscan(string(text), &ns); err != nil {
			return 0, err
		}
		total += ns / 1e9
	}
	return total, nil
}

func switchPID(dir string) (int, error) {
	pid, err := os.ReadFile(filepath.Join(dir, "ovs-vswitchd.pid"))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(pid)))
}
