// Package visualinterp has a screen show smooth movement of what is simulated in ticks.
//
// A game computes its world in fixed ticks, and draws frames at whatever rate the screen has.
// A frame that is drawn between two ticks, or in which two ticks ran, shows entities where
// they were at the last one: they jerk. With a System, from the end of one frame to the
// beginning of the next, components hold what lies between the two latest ticks, as far as
// the clock is past the latter. What is shown is so a tick late at most, and systems that
// draw need not know of it:
//
//	shows := visualinterp.New()
//	visualinterp.Add[Position](shows)
//	app.AddSystem(plugin.AfterSend, shows)
//	app.AddSystem(plugin.AfterSend, draws)
//
// It works on a client, a server and a host, in any order with systems of its set.
//
// # What is shown
//
// By default all entities with a component that was added. Tagged leaves that to the tag
// Smooth on each entity, and Where to a rule: what never moves need not be looked at in every
// frame. Values are blended by what the component's registration says (Interpolate, Snap);
// components that are not in the protocol say so by With and Snap.
//
// An entity whose component has been there for less than two ticks is shown where it is, which
// is a tick ahead of what is shown of others. On a fast entity that shows; HideUntilTwo has it
// hidden until then.
//
// # Corrections
//
// Where a client finds out that it has predicted something wrong, it goes back and computes
// the ticks anew. What is shown afterwards is between the two latest ticks as they are now. A
// component whose registration says Correct does not jump there: its picture keeps the offset
// that it had at that moment, which shrinks to nothing in the time that was set, quickly at
// first and slowly in the end. The simulation is right at once. With protocol.Linear the
// offset is added field by field, angles the short way around and rotations by the turn
// between the two; another function blends from where the picture was.
//
// # Guarantee
//
//   - Before anything else of a frame runs, true values are back: the systems of all sets but
//     AfterSend, what is sent, histories and comparisons never see what is shown. What the
//     game has written over a shown value, in AfterSend or between two frames, is the truth.
//   - What is shown depends on ticks and on time, and not on how many frames there were.
//   - Entities may come and go, and gain and lose components, at any time.
//   - A frame allocates nothing once the world has reached its size.
//
// # Not guaranteed
//
// Code that reads a component between two frames, or in AfterSend, reads what is shown. A
// component that AfterSend takes from an entity takes what is shown with it.
//
// It is for entities that move in ticks: of this process, or predicted. What the server
// moves and a client only follows is shown between what has arrived by its ticks, which come
// as unevenly as the network brings them.
package visualinterp
