// Package bench measures the packages side by side with what people would use instead, each pair in
// one run on one machine, and prints the ratios: group holds OpenFlow groups, igmp the codec and the
// snooper, cache the memberships, table commits to a real switch, routes the kernel's routing.
//
// It is a module of its own so that the libraries it compares with never reach a host project.
// [make bench] runs everything; RESULTS.md keeps the figures of one run with the machine, the date
// and the versions.
//
// [make bench]: https://github.com/ofmcast/ofmcast/blob/main/Makefile
package bench
