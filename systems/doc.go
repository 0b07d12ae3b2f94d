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
// A system in Main writes a component. Lattice rounds the value, if the component has
// protocol.Full. In a frame that is sent, EntityUpdates (Collector.ObserveEntities) compares the
// columns of the world with those of the last such frame (columns.Table.Observe).
// ComponentUpdates (Collector.ObserveValues) tells the sender.World (internal/core/repl/sender)
// which values changed. Its Commit makes their groups due for every client that sees them.
//
// In Packets endpoint.Server.Send calls peer.Peer.Begin for one client after the other. Begin
// queues structure as reliable messages (sender.Peer.AppendActions): these carry the first value
// of a new entity or component. It plans and encodes the updates that carry later values
// (sender.Peer.Prepare, World.encodeValue), once for all clients with the same baseline and view:
// by Collector.EncodeFrom for components that are sent as differences, by Collector.Encode for
// all others. Then AppendPacket fills packets, for several clients at a time: first urgent inputs
// and measurements of the clock, then messages and structure, then updates. The connection layer
// seals each packet (connection/netcode, internal/core/session), and its Flush hands them all to
// the transport (transport/udp).
//
// At the client a goroutine of the transport reads the socket into a queue. Receive takes the
// datagrams from there and opens them by the same layers. peer.Peer acknowledges a packet and
// hands each part to its reader (Peer.dispatch). receiver.Receiver
// (internal/core/repl/receiver) decides what applies to what the client holds: HandleActions for
// structure, HandleUpdates for values. sink.Applier writes the values into the client's world.
//
// # Of a predicted entity
//
// Values of a predicted entity do not go into the world, but into the rollback.Store
// (internal/core/rollback), as confirmed state. Marks in the packets say which tick is confirmed
// (Receiver.ConfirmedTick). The store also holds histories: UpdateHistory saves each tick there
// (Prediction.SaveTick). In CheckRollback Prediction.Check compares the two (Store.Compare) and
// makes a plan. If they are equal, the world keeps what was predicted. Else Rollback restores the
// world of that tick from the history, corrected by the confirmed state (lifecycle.restore), and
// replays the ticks since (input.Replayer.Tick).
//
// # From a client's key to the server's world
//
// A system in FixedInput writes an input component. WriteInputs stores it, for the tick in which
// it acts, in an input.Writer of internal/core/input. In Packets peer.Peer asks for a frame with
// all ticks that are not acknowledged and can still be in time (inputUp.AppendFrame); it comes
// first in the packet. The server's Receive (InputPlayer.HandleFrame) checks that the client
// controls the entity, and puts the inputs into the input.Reader of that entity. WriteInputs of
// the tick takes the input from there and writes the component.
package systems
