// Package systems holds the stages of a frame: one file per stage or per thing
// that stages share. It moves data between an Arche world and the pure machines
// of internal/core. Games do not import it; they meet it through plugin.
//
// # What is here
//
//   - order.go names the stages and lists them in the order in which they run.
//   - Schedule walks that list, and runs in each stage what the engine bound to
//     it and then the systems that the game added to it.
//   - Stepper turns the time between frames into a number of fixed steps.
//   - Hub keeps the events that systems read, one typed buffer per kind.
//   - Publisher is the way out of a world: what changed in its columns becomes due
//     for every peer; family keeps children with their parents, and sight decides who
//     gets what, by targets and by what Interest knows. Copy is the way in: it writes what a receiver made out.
//   - Resources is the way out for resources of a world, ResourceCopy the way in.
//   - Post carries messages, requests and their answers; a Mailbox takes what one
//     peer sends.
//   - Server and Client join connection layers and peers.
//   - Mirror and Load show what a side holds, and Tell what is written, for tests and tools.
//
// # What it guarantees
//
// A frame runs its stages in the listed order, tick stages once per fixed step.
// An event reaches each reader once, whichever stage the reader runs in.
// Nothing is allocated per frame or per event once the buffers have grown.
//
// # What it does not
//
// Schedule, Stepper and Hub are driven by one goroutine, the one that owns the
// world, and lock nothing.
//
// # How it is driven
//
// Set-up: Schedule.Bind, Schedule.Add, Hub.AddComponent, Schedule.Initialize.
// Per frame: Stepper.Advance(now), Hub.BeginFrame(steps of the last frame),
// Schedule.Frame(w, steps). At the end: Schedule.Finalize.
package systems
