// Command benchmarks measures what Entangle costs, as ratios to hand-written
// limits.
//
// A limit is a loop that does only the unavoidable for the same work: no ECS, no
// bookkeeping, plain arrays. Ours and the limit take turns in one process, so that
// noise of the machine falls on both; a ratio is that of the medians. In the same
// rounds run anchors from the standard library; where a limit is nothing but such
// calls, the run fails if it takes more than 1.3 times their sum: then the limit
// itself is badly written and flatters us.
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
// The fields of a line: name; ours_ns and limit_ns, nanoseconds of one operation
// as the case defines it (usually a tick); ratio, ours to the limit
// in time, or for cases that say so in rate; allocs, allocations of one operation
// of ours; bytes, what one operation of ours produces for the wire, 0
// where it produces nothing; goal, the largest ratio that is good, or for cases
// that say so the smallest, 0 if the case only reports; unit, where ratio and goal
// are no ratios but a figure in that unit; anchors, in nanoseconds; sizes, bytes
// that others need for the same; figures, what else a case has found.
//
// Everything runs with GOMAXPROCS 1 unless a variant says how many workers.
//
// The packages, each built on those before it:
//
//   - report runs a variant, measures both sides, and prints the result.
//   - workload is what both sides work on: components, poses, walking entities, packets.
//   - limits is the same work by hand, one file per case.
//   - clock is the case clock, and writes its page.
//   - cases is all other cases, one file each. Those about replication share a scene: a
//     server's world, its clients, and the network between them.
package main
