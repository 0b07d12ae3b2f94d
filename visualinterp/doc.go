// Package visualinterp makes movement that is simulated in ticks look smooth on the screen.
//
// A game computes its world in fixed ticks, and draws frames at the rate of the screen. A frame that is
// drawn between two ticks, or in which two ticks ran, shows entities at their position of the last tick:
// movement looks jerky. With a System, components hold a value between those of the two latest ticks from
// the end of one frame to the beginning of the next, according to the position of the clock after the
// later tick. The display is at most a tick late, and systems that draw need no changes:
//
//	shows := visualinterp.New()
//	visualinterp.Add[Position](shows)
//	app.AddSystem(plugin.AfterSend, shows)
//	app.AddSystem(plugin.AfterSend, draws)
//
// It works on a client, a server and a host, in any order with systems of its set.
//
// # Shown entities
//
// By default all entities with an added component are shown. Tagged limits that to entities with the tag
// Smooth, and Where to those selected by a function: entities that never move need not cost time in every
// frame. Values are blended as the component's registration says (Interpolate, Snap); components that are
// not in the protocol need With and Snap.
//
// An entity that has had the component for less than two ticks is shown at its true value, which is a tick
// ahead of the others. That is visible on a fast entity; HideUntilTwo hides it until then.
//
// # Corrections
//
// When a client finds a misprediction, it rolls back and replays the ticks. Afterwards the display is
// between the two latest ticks as they are now. A component registered with Correct does not jump
// there: its displayed value keeps the offset of that moment, which shrinks to nothing in the given time,
// quickly at first and slowly at the end. The simulation is correct at once. With protocol.Linear the
// offset is added field by field, angles the short way around and rotations by the rotation between the
// two; another function blends from the displayed value.
//
// # Guarantee
//
//   - Before anything else of a frame runs, true values are restored: the systems of all sets
//     except AfterSend, packets, histories and comparisons never see displayed values. A value
//     that the game writes in AfterSend or between two frames is a true value.
//   - The display depends on ticks and on time, not on the number of frames.
//   - Entities may be added and removed, and gain and lose components, at any time.
//   - A frame allocates nothing once the world has reached its greatest size.
//
// # Not guaranteed
//
// Code that reads a component between two frames, or in AfterSend, reads the displayed value. Removing a
// component in AfterSend removes its displayed value.
//
// It is for entities that move in ticks: of this process, or predicted. Entities that a client only follows
// are for Replicate.Interpolate, which shows them between the server's values, and which this package leaves
// alone. Without that they are shown between the values that have arrived by the client's ticks, at the
// irregular times of the network.
package visualinterp
