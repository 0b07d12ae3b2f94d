// Package tick holds the order of a frame and the time that drives it.
//
// # What is here
//
//   - [Stage] names the places in a frame, and [Order] lists them.
//   - [Schedule] runs a frame: in each stage the engine's own work, then the systems that the
//     game added.
//   - [Stepper] turns the time between two frames into a number of ticks. [Clock] steers a
//     client's ticks so that its packets reach the server in time.
//   - Strict mode reports systems of a client that write to data which the server replicates,
//     [Overload] reports that an app drops ticks, and [Picture] keeps apart the values that
//     are simulated and those that are drawn.
//
// # What it guarantees
//
// A frame runs its stages in the listed order, and tick stages once per tick. Nothing is
// allocated per frame.
//
// Schedule and Stepper belong to the goroutine that owns the world, and lock nothing. They
// know no network.
package tick
