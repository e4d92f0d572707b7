//go:build race

package ofgroup_test

// raceDetector slows memory down the more of it is used, so that times grow faster than
// the work does.
const raceDetector = true
