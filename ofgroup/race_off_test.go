//go:build !race

package ofgroup_test

const raceDetector = false
