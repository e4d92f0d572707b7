// Package bench measures the packages side by side with what people would use instead, each pair in
// one run on one machine: group holds OpenFlow groups, igmp the codec and the snooper, cache the
// memberships, table commits to a real switch, routes the kernel's routing. The agent's joins are
// measured in examples/agent.
//
// [make bench] runs them all by the program in report and prints one table. RESULTS.md keeps the table
// and the growth with n of one run, which figures.txt has as the benchmarks printed it.
//
// It is a module of its own so that the libraries it compares with never reach a host project.
//
// [make bench]: https://github.com/ofmcast/ofmcast/blob/main/Makefile
package bench
