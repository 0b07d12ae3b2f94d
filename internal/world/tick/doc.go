// Package tick runs frames, and keeps the time that drives them.
//
// # Overview
//
//   - [Schedule] runs frames in an [Order] of stages: in each [Stage] the engine's own work,
//     then the systems that the game added. Package systems names the stages, and documents the
//     engine's work in each.
//   - [Stepper] turns the time between two frames into a number of ticks. [Clock] adjusts a
//     client's ticks so that its packets reach the server in time.
//   - Strict mode reports systems of a client that write to replicated data, [Overload] reports
//     an app that drops ticks, and [Display] separates simulated values from drawn ones.
//
// # Guarantees
//
// A frame runs its stages in the order of the schedule, and the stages of a tick once per tick.
// Nothing is allocated per frame.
//
// Schedule and Stepper belong to the goroutine that owns the world, and take no locks. They do not
// depend on the network.
package tick
