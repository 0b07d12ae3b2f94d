// Package systems is the order of a frame. It names the stages, and explains for each which
// packages the engine calls there, and with which data.
//
// Read it in this order:
//
//	order.go                the stages, from the first of a frame to the last
//	frame.go                how many ticks a frame has, and which frames are sent
//	server.go, client.go    which function runs in which stage
//	receive.go              what has arrived is applied
//	interpolation.go        a client shows entities between the values that have arrived
//	prediction.go           a client rolls back and replays
//	fixed.go                a tick: inputs, the game's simulation, histories
//	replication.go          a server finds what has changed, and which client sees it
//	send.go                 packets leave
//	sync.go                 a client's clock is adjusted
//	visual.go               the screen shows values different from those of the simulation
//
// In each stage the engine's work comes first, and then the systems that the game added to
// the plugin.Set of that stage. Everything runs in the goroutine that updates the app.
//
// The functions here keep no state except the time and the ticks of the frame. They call packages
// under internal/world. Rows such as R24 are promises of docs/GUARANTEES.md. What is not built yet has
// no stages: authority.
//
// Package plugin makes the parts of a [Server] or [Client] and binds them to a schedule.
// [Stage] is all that a game needs of this package.
//
// # From a server's world to a client's
//
// A system in Main (a game calls it plugin.FixedMain) writes a component. Round rounds the value,
// if the component has protocol.Full (Collector.Round; the Collector is in internal/world/source). In
// a frame that is sent, EntityUpdates (Collector.ObserveEntities) compares the columns of the world
// with copies from the last such frame (columns.Table.Observe). ComponentUpdates
// (Collector.ObserveValues) reports to the sender.World (internal/core/repl/sender) which components
// of which entities changed, but not their values (World.Change). World.Commit makes their groups due
// for every client that sees them.
//
// In Packets endpoint.Server.Send calls peer.Peer.Begin for one client after the other. Begin
// queues structure as reliable messages (sender.Peer.AppendActions): these carry the first value of
// a new entity or component. It plans and encodes the updates that carry later values
// (sender.Peer.Prepare), once for all clients with the same baseline and view. Only then does the
// sender ask for values (encode.Encoder). Collector.Encode reads one from the
// world, and the wire.Plan of its type (internal/wire) writes its bits; Collector.EncodeFrom does
// so for components that are sent as differences. Then Peer.AppendPacket fills packets, for several
// clients at a time (Server.assemble): first urgent inputs and measurements of the clock, then
// messages and structure, then updates (sender.Peer.AppendUpdates). The connection layer seals and
// queues each packet (its Send: connection/netcode, internal/core/session). Its Flush hands them
// all to the transport (connection/internal/socket, transport/udp).
//
// At the client a goroutine of the transport reads the socket into a queue (Conn.readSocket). Receive
// (endpoint.Client.Receive) takes the datagrams from there and opens them by the same layers. Those of
// one frame are handled in the order in which they were sent (endpoint/batch.go).
// peer.Peer acknowledges a packet and hands each part to its reader (Peer.HandlePayload,
// Peer.dispatch). receiver.Receiver (internal/core/repl/receiver) decides what applies to what the
// client holds: HandleActions for structure, HandleUpdates for values. Its Sink is the sink.Applier
// (internal/world/sink), which writes into the client's world: structure with first values at
// Applier.Commit, or for runs of alike spawns and ends at CommitSpawns and DespawnRun; plain updates at
// once (UpdateBlock), others at Commit.
//
// # And the acknowledgement back
//
// The header of the client's next packet acknowledges the packet. In the server's Receive peer.Peer
// passes its id on (Peer.handleAcks). sender.Peer.HandleAcked finds the groups that the packet carried
// in flight.Packets, and moves their baselines to its tick. A message is delivered once all packets with
// parts of it are acknowledged (channel.Mux.PollDelivered): sender.Peer.HandleDelivered finds its
// actions in flight.Messages. In Packets peer.Peer.Begin asks which packets count as lost by now
// (sender.Peer.HandleLost): their groups are due again.
//
// # Of a predicted entity
//
// A predicted entity takes the same way up to the Applier, which writes its values into the
// rollback.Store (internal/core/rollback), as confirmed state (Applier.updateOne,
// Applier.confirmMember). Values with protocol.Full go into the world only when the entity appears;
// Applier.writesAtOnce has the rule for structure in each mode, and componentSet.simple lists the
// components that updates write at once.
//
// Behind the predicted groups the sender writes a mark into the packet (its appendMark, in marks.go):
// a client that has everything up to the mark has all of these groups as of the packet's tick. The
// newest such tick is the confirmed tick (Receiver.ConfirmedTick, passed on by package plugin as
// PredictionConfig.ConfirmedTick).
//
// The Store also holds histories: UpdateHistory saves each tick there (Prediction.SaveTick, in
// internal/world/predict). In CheckRollback Prediction.Check compares the confirmed state with the
// history of the confirmed tick (Store.Compare), and makes a plan of steps (rollback.Timeline). If
// they are equal, the world keeps the predicted values. Otherwise Prediction.Rollback restores the
// world of that tick from the history, corrected by the confirmed state (lifecycle.restore), and
// replays the ticks since (Replayer.Tick of internal/world/input). After each of them it inserts
// the confirmed state of that tick, if there is some, and saves the tick
// (Prediction.insertAndSave).
//
// # From a client's key to the server's world
//
// There are two packages input: internal/world/input deals with entities and components, and
// internal/core/input with the values of each tick (Writer, Reader).
//
// FixedInput shows the last input (Inputs.Buffer), and a system of the game changes the component.
// WriteInputs stores it in a Writer, for the tick in which it acts, and sets the component to the input
// that acts in the present tick (Inputs.Write, ownInputs.storeInput). In Packets peer.Peer asks for a
// frame with all ticks that are not acknowledged and can still be in time (inputUp.AppendFrame), and
// puts it before all messages (Peer.appendUrgent). In the server's Receive peer.Peer passes the frame
// to the InputPlayer of the client (InputPlayer.HandleFrame). That checks that the client controls the
// entity, and puts the inputs into the Reader of that entity (Frame.Put, Reader.storeTick).
// WriteInputs of the tick takes the input from there (Reader.Take) and writes the component
// (ReceivedInputs.applyInputs).
package systems
