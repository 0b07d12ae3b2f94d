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
