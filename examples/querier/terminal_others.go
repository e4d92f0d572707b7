//go:build !linux

package main

import "os"

// terminalSize is for Linux, as the rest of the program is.
func terminalSize(*os.File) func() (width, height int) { return nil }
