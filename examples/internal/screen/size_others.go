//go:build !linux

package screen

import "os"

// Size is for Linux, as the programs are that have a table.
func Size(*os.File) func() (width, height int) { return nil }
