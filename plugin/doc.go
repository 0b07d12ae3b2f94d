// Package plugin is the API that a game uses: it networks an Arche world.
//
// # Purpose
//
// An App (a Server, a Client, or a Host, which is both) is one system of an Arche world. It
// receives, runs the game's systems at a fixed rate, and sends. A game passes it the protocol that
// both sides share, adds its systems to sets, and drives it: from an arche-model app, with Run, or
// by calling Update once per frame.
//
// # How to drive it
//
//   - AddSystem(set, system) before the app is initialised; see Set for the order.
//   - In a system's Initialize, create the handles that it needs, such as NewReader for events,
//     just like filters and mappers.
//   - Run(ctx, world, app), or Initialize once, Update per frame, Finalize.
//   - A Server listens after Start, and a Client connects after Connect, which needs an initialised
//     client. Both can be stopped and started again at any time.
//   - A Sender sends messages and a Requester sends requests; Readers read the received ones.
//     ReplicateResource shares a resource of the server's world. Rooms and Relevance decide which
//     entities matter to which clients. Stats reports what a side does, and Server.Clients the
//     connection of each client.
//
// # A player's inputs
//
// The input of a player in a tick is a component of the entity that the player controls: a struct
// of the game, registered on both sides together with components.ControlledBy.
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
// and with components.Controlled. A system in FixedInput fills it in, tick after tick:
//
//	for q := mine.Query(w); q.Next(); { // a filter of Steer, with components.Controlled
//		q.Get().Turn = turnOf(keys)
//	}
//
// Nothing else is needed. On client and server, systems in FixedMain find in the component the
// input of the tick that they compute: the client's ticks run far enough ahead of the server's for
// its inputs to arrive. A field tagged as an event is reset to zero before the system in
// FixedInput runs; the other fields keep their last written value.
//
//   - The inputs that follow a lost one contain it as well. An input that does not arrive in time
//     never takes effect: the server repeats the last one, without its event fields, for one
//     second. Inputs.Status tells a system which kind of input it reads.
//   - Only the player that ControlledBy names drives an entity. Inputs of others for it are dropped
//     and counted; see ServerStats.
//   - With ClientConfig.InputDelay an input takes effect some ticks after it was written, on both
//     sides, and the client predicts that much less.
//   - The game itself drives an entity with a Steer that no player controls: systems of the server
//     may write its Steer in FixedInput, and it moves like a player's entity.
//   - Inputs.None declares that a tick has no input. InputReceived is raised for each input that
//     takes effect.
//
// # Guarantees
//
// All received data is applied before the first tick of a frame, and all data is sent after the
// last one. A reader that reads every frame or every tick sees each event once, in the order in
// which they were raised. A wrong call panics or returns an error at once, with a sentence that
// names the remedy. Data from peers never causes a panic or such an error.
//
// # Limits
//
// An app belongs to the goroutine that updates it. Nothing here may be called from another
// goroutine unless its documentation says so.
package plugin
