// Command benchmarks measures what Entangle costs, as ratios to hand-written
// limits.
//
// A limit is a loop that does only the unavoidable for the same work: no ECS, no bookkeeping, plain
// arrays. Ours and the limit take turns in one process, so that noise of the machine affects both;
// a ratio compares the medians. Anchors, which are calls of the standard library, run in the same
// rounds. Where a limit consists of such calls only, the run fails if the limit takes more than 1.3
// times their sum, because a badly written limit would flatter us.
//
//	go run ./benchmarks                 every case, as a table
//	go run ./benchmarks -run detect     cases and variants with this prefix
//	go run ./benchmarks -json           one line per variant
//	go run ./benchmarks -short          one quick round of each case, for CI
//	go run ./benchmarks -strict         exit code 1 if a goal is missed
//	go run ./benchmarks -pictures DIR   measures anew, and draws two pictures there
//	go run ./benchmarks -clock FILE     writes the page about clocks there
//	go run ./benchmarks -cubes FILE     where the recording of the case cubes is
//	go run ./benchmarks -profile cpu    writes cpu.pprof (or mem.pprof) here
//
// The fields of a line: name; ours_ns and limit_ns, nanoseconds of one operation as the case
// defines it (usually a tick); ratio, our time divided by the limit's, or for some cases our rate
// divided by the limit's; allocs, allocations of one operation of ours; bytes, what one operation
// of ours produces for the wire, or 0; goal, the largest good ratio, or the smallest one if the
// ratio compares rates, or 0 if the case only reports; unit, the unit of ratio and goal where they
// are a figure and no ratio; anchors, in nanoseconds; sizes, the bytes that other encodings need
// for the same; figures, further results of a case.
//
// Everything runs with GOMAXPROCS 1, unless a variant sets a number of workers. Time is the processor
// time of the thread that runs a side, so that other programs on the machine change it less; with
// several workers it is the time that passes. The garbage collector's own threads are not counted.
//
// These are the packages; each uses only those that are listed before it:
//
//   - report runs a variant, measures both sides, and prints the result.
//   - workload is what both sides work on: components, poses, walking entities, packets.
//   - limits is the same work by hand, one file per case.
//   - clock is the case clock, and writes its page.
//   - cases is all other cases, one file each. Those about replication share a scene: a
//     server's world, its clients, and the network between them.
package main
