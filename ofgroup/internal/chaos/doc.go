// Package chaos holds tests of a Table over a connection that fails in every way at once, on
// the in-process switch and on a real one. There is nothing else in it.
//
// They take five seconds each, or as long as OFMCAST_SOAK says ("60s"). OFMCAST_SEED repeats
// what a failed test printed.
package chaos
