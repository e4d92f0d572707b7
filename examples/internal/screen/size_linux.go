package screen

import (
	"os"

	"golang.org/x/sys/unix"
)

// Size returns a function that says how large the terminal is now, nil if f is none.
func Size(f *os.File) func() (width, height int) {
	if _, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err != nil || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return func() (width, height int) {
		size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
		if err != nil {
			return 0, 0
		}
		return int(size.Col), int(size.Row)
	}
}
