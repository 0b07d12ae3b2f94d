// Package plugin is the door to Entangle: what a game holds in its hands.
//
// # What it is for
//
// An App (a Server, a Client, or a Host, which is both) is one system of an Arche world. It receives,
// runs the game's systems at a fixed rate, and sends. A game hands it the
// protocol that both sides share, adds its systems to sets, and drives it: from
// an arche-model app, with Run, or by calling Update once per frame.
//
// # How to drive it
//
//   - AddSystem(set, system) before the app is initialised; see Set for the order.
//   - In a system's Initialize make the handles it needs: NewReader for events,
//     as one makes filters and mappers.
//   - Run(ctx, world, app), or Initialize once, Update per frame, Finalize.
//   - A Server listens from Start on, a Client is on its way from Connect on, which
//     comes after Initialize. Both can be stopped, and started again, at any time.
//   - Messages go out by a Sender, questions by a Requester; what arrives is read by
//     Readers. ReplicateResource shares a resource of the server's world. Rooms and
//     Relevance say which entities matter to which clients. Stats,
//     Clients, Link, Clock and Quality tell how it goes.
//
// # A player's inputs
//
// What a player does in a tick is a component of the entity that it controls: a struct of
// the game's own, registered on both sides, beside components.ControlledBy.
//
//	type Steer struct {
//		Turn, Thrust int8
//		Fire         bool `net:"event"`
//	}
//	protocol.Component[components.ControlledBy](p)
//	protocol.Input[Steer](p)
//
// The server spawns the entity with a Steer, a ControlledBy that names the player, and
// components.Replicate. On that player's client the entity appears with an empty Steer
// and with components.Controlled. A system in BufferInputs fills it in, tick after tick:
//
//	for q := mine.Query(w); q.Next(); { // a filter of Steer, with components.Controlled
//		q.Get().Turn = turnOf(keys)
//	}
//
// That is all. Systems in FixedMain find in the component the input of the tick that they
// compute, on the client and on the server, and in the same tick on both: the client's ticks
// run ahead of the server's by as much as the way takes. A field tagged as an event is zero
// again when the system in BufferInputs gets to it; the others stay as they were written last.
//
//   - An input that is lost on the way is covered by those that follow it. One that does not
//     come in time never acts: the server repeats the last, without what happens once, for a
//     second. Inputs.Status tells a system what it has before it.
//   - Only the player that ControlledBy names drives an entity. What others send for it is
//     dropped and counted; see ServerStats.
//   - With ClientConfig.InputDelay an input acts some ticks after it was written, on both
//     sides, and the client has as much less to guess.
//   - An entity with a Steer that nobody controls is the game's to drive: a server's own
//     systems may write its Steer in BufferInputs, and it is moved like a player's.
//   - Inputs.None says that there is no input in a tick. InputReceived tells of each that acts.
//
// # What it guarantees
//
// Everything that arrived is applied before the first tick of a frame, and
// everything is sent after the last. A reader that reads every frame or every
// tick sees each event once, in the order in which they were raised. A wrong call
// panics or returns an error at once, with a sentence that names the remedy; what
// peers send does neither.
//
// # What it does not
//
// An app belongs to the goroutine that updates it. Nothing here may be called
// from another one, unless its documentation says so.
package plugin
