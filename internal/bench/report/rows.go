package main

// sections are the table. To add a row, have a benchmark report figures in units "TIME-NAME" and "allocs-NAME", and name
// them here; that it ran at all is checked whenever the table is printed.
func sections() []section {
	return []section{
		{"group: build and encode, decode. The library's figures are of another machine of 2 cores", "library", library()},
		{"group: encode 100 buckets, beside the least program for this one shape of bucket", "floor", floors()},
		{"group: one joins and leaves, without a switch: the message that a Table finds, beside the whole group", "whole", change()},
		{"table: a confirmed change of a group on a real switch, beside prepared messages and one barrier at the end", "bare", commits()},
		{"table: the same by one goroutine, beside prepared messages that each wait for their barrier", "bare", alone()},
		{"table: one joins or leaves a group of 700 on a real switch, confirmed", "whole", member()},
		{"igmp: decode a frame, each record and source visited; gopacket verifies no checksum, ours both", "gopacket", frames("Frame", true)},
		{"igmp: decode the message alone", "gopacket", frames("Payload", false)},
		{"igmp: decode a frame, beside a loop over its bytes that makes no values", "bare loop", bytewise()},
		{"igmp: frames a second that a snooper reads on one core", "", snooper()},
		{"cache: n members join one group, each join delivered to a consumer; allocations of one join", "client-go", joins()},
		{"cache: a known member reports again", "client-go", refresh()},
		{"cache: 1,000,000 memberships in 100,000 groups", "client-go", million()},
		{"routes: a new stream's first packet, from its sending to the kernel's route", "smcroute", first()},
		{"routes: routes of the kernel, processor time, beside a loop of system calls; allocations of one route", "bare calls", kernel()},
		{"agent: from a join's report on the wire to the first packet of a running stream", "snooping", join()},
		{"agent: 100 hosts join 100 groups each within a second", "", storm()},
	}
}

// The sizes that growth is fitted over: from where fixed costs no longer hide it.
func buckets() []int  { return []int{10, 30, 100, 300, 700} }
func records() []int  { return []int{10, 30, 100, 183} }
func joiners() []int  { return []int{100, 300, 1000, 3000, 10_000} }
func crowds() []int   { return []int{10, 100, 1000, 10_000} }
func groups() []int   { return []int{10, 100, 1000, 10_000, 100_000} }
func routings() []int { return []int{100, 300, 1000, 3000, 10_000} }

// turns is a way that took turns with others.
func turns(benchmark, way string) figure { return figure{benchmark, "ns-" + way, "allocs-" + way} }
