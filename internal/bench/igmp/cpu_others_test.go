//go:build !unix

package igmpbench

import "time"

var began = time.Now()

// cpuTime is the time that has passed.
func cpuTime() time.Duration { return time.Since(began) }
