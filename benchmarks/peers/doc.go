// Command peers runs scenarios of the benchmarks in turns with the same scenarios over another
// library, and prints a table for docs/COSTS.md.
//
// The other library is bevy_replicon. The program in the folder replicon drives it; cargo must be
// installed to build it, which takes some minutes the first time. Continuous integration does not run
// this command.
//
//	go run ./benchmarks/peers               every scenario, five turns of each
//	go run ./benchmarks/peers -run spawn    scenarios with this prefix
//	go run ./benchmarks/peers -turns 20     more turns
//	go run ./benchmarks/peers -json         a line for each scenario, turn and side
//
// In a turn, ours runs first and the other one second, each with its own rounds of the scenario; the
// result of a side in a turn is the median of its rounds. The table has the median of all turns and,
// in parentheses, the least one, which a busy machine moves less. Times are the processor time of one
// thread. docs/COSTS.md says what each side includes.
package main
