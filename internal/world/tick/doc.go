// Package tick runs frames, and holds the time that drives them.
//
// # What is here
//
//   - [Schedule] runs frames in an [Order] of stages: in each [Stage] the engine's own work,
//     then the systems that the game added. Package systems names the stages, and says what
//     the engine does in each.
//   - [Stepper] turns the time between two frames into a number of ticks. [Clock] steers a
//     client's ticks so that its packets reach the server in time.
//   - Strict mode reports systems of a client that write to data which the server replicates,
//     [Overload] reports that an app drops ticks, and [Display] keeps apart the values that
//     are simulated and those that are drawn.
//
// # What it guarantees
//
// A frame runs its stages in the order of the schedule, and those of a tick once per tick.
// Nothing is allocated per frame.
//
// Schedule and Stepper belong to the goroutine that owns the world, and lock nothing. They
// know no network.
package tick
