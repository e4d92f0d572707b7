//go:build !unix

package side

import "time"

var began = time.Now()

// CPUTime is the time that has passed.
func CPUTime() time.Duration { return time.Since(began) }
