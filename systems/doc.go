// Package systems is the order of a frame. It names the stages, and says of each what the
// engine does there: which package is called, with what.
//
// Read it in this order:
//
//	order.go                the stages, from the first of a frame to the last
//	frame.go                how many ticks a frame has, and which frames are sent
//	server.go, client.go    which function runs in which stage
//	receive.go              what has arrived is applied
//	prediction.go           a client rolls back and replays
//	fixed.go                a tick: inputs, the game's simulation, histories
//	replication.go          a server finds what has changed, and which client sees it
//	send.go                 packets leave
//	sync.go                 a client's clock is adjusted
//	visual.go               the screen shows other values than the simulation has
//
// In each stage the engine's work comes first, and then the systems that the game added to
// the plugin.Set of that stage. Everything runs in the goroutine that updates the app.
//
// The functions here keep nothing but the time and the ticks of the frame. What they call is
// under internal/world. Rows such as R24 are promises of docs/GUARANTEES.md. Interpolated
// entities, authority and prespawned entities are not built yet, and have no stages.
//
// Package plugin makes the parts of a [Server] or [Client] and binds them to a schedule.
// [Stage] is all that a game needs of this package.
//
// # From a server's world to a client's
//
// A system in Main writes a component. In EntityUpdates the source.Collector compares the
// columns of the world with those of the last tick that was sent, and in ComponentUpdates it
// tells the sender.World (internal/core/repl/sender) which components of which entities
// changed: their groups are due for every client that sees them. In Packets endpoint.Server has
// peer.Peer (internal/core/peer) fill the packets of each client: messages first, then updates
// of the groups that are due, which the sender encodes with Collector.Encode, once for all
// clients with the same baseline and view. The connection layer seals each packet
// (connection/netcode, internal/core/session), and a transport writes it to a socket.
//
// At the client, Receive reads the socket and opens the packet by the same layers. peer.Peer
// acknowledges it and takes its messages apart, receiver.Receiver (internal/core/repl/receiver)
// decides which update applies to what the client holds, and sink.Applier writes the value into
// the client's world. Of a predicted entity the copy keeps it beside, as confirmed state. In
// CheckRollback predict.Prediction compares that with what it predicted for that tick.
//
// # From a client's key to the server's world
//
// A system in FixedInput writes an input component. WriteInputs stores it for its tick in
// input.Inputs. In Packets peer.Peer asks the inputs for a frame with all the ticks that are
// not acknowledged yet, beside the client's messages. The server's Receive puts them into its
// own input.Inputs, and WriteInputs of that tick writes the component on the entity that the
// client controls.
package systems
