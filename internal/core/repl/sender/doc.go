// Package sender writes the records that replicate a world to its peers: actions in reliable messages, and updates in
// packets. It joins the packages that do the parts: group, view, ident, encode, schedule and flight.
//
// A [World] is the part that all peers share: groups, and the ticks at which they last changed. A [Peer] is what one
// peer may see, was sent and has acknowledged. The contents of a record depend on the group, its baseline and the view,
// and not on the peer, so they are encoded once and copied to all peers. Changes that most peers lack are copied in
// whole runs.
//
// # Driving it
//
// Between two ticks, when packets of a peer arrive (in a server: in the stage Receive):
//
//	peer.HandleAcked, HandleDelivered
//
// Once per tick that is sent:
//
//	world.Begin(tick)
//	world.Despawn, Spawn, Move, Reshape, SetRate, Change ...   changes since the last one
//	world.Commit()                                             the changed groups become due at the peers
//
// then, peer by peer:
//
//	peer.HandleLost       for each packet that counts as lost by now
//	peer.Join             the first time: the groups due now are the world that existed for it
//	peer.AppendActions    until it appends nothing: reliable messages
//	peer.ActionsSent      after each: the channel's number of the message
//	peer.PollAgain        until ok is false: messages to be repeated
//	peer.Prepare          once: plans and encodes the updates
//	peer.Limit            if it has a byte cap, which may depend on WantedBytes: encodes what there is room for
//
// and for its packets, which may be done for several peers at a time:
//
//	peer.AppendUpdates    for each packet, until it appends nothing
//	peer.AppendMark       for a packet without updates that goes out anyway
//
// For lag compensation, the caller also reports the packets and their acknowledgements to peer.Received (received.go).
//
// # Due
//
// A group is due for a peer when it changed since it was last sent there, or when that packet is
// presumed lost. The record then holds all changes since the group's baseline: the peer has the group as
// of that tick, or will before it applies anything later. So an acknowledged update moves the baseline,
// and an action moves it at once, because no later record applies before it.
//
// Components of a Differ are sent as differences from their values at the baseline. The receiver
// must have been at that tick, so an update which arrived too late to be applied must never become
// the baseline. HandleAcked takes packets in any order, on one condition, which packet headers meet:
// the newest packet that had arrived before another one is acknowledged before it, or with it. A header
// names that packet, so no header acknowledges another without it. Otherwise an overtaken update would
// go unnoticed (flight.Sent).
//
// # Visibility
//
// Public groups are visible to all peers and have the same handle at each. Private groups are
// visible to the peers that they are shown to (Peer.Show, Hide), under handles of each peer's own.
// What is hidden from a peer of a group is its view of it. A private group that is no longer shown
// ends at the peer, or is retained (Peer.Retain): it stays as it was sent.
//
// Hidden data changes no byte that a peer is sent, nor when it is sent. That holds for groups that
// the peer is not shown, for the parts that its views hide, and for retained groups except for
// ends. It does not hold for state that peers share:
//
//   - A public handle is reused when every peer has acknowledged the end of its group, and no entity
//     born there is alive. So the handles and generations of new public groups reveal that other peers
//     are slow, and whether entities that became invisible on leaving a public group have ended.
//   - The handle of a private group with entities that the peer knows references to is freed when
//     the group is gone, so the handles of other groups reveal that end.
//   - Numbers in a group reveal that others are taken, and a group is private if some peer may
//     not see a part of it.
//   - A group is sent at the rates of its members, including those that the peer does not see.
//   - The state in which a paused entity is sent, present or earlier, depends on whether all
//     peers have received an earlier move of it. So does whether a group that is shown again waits for
//     the former group of a member.
//   - While structure has no room, the values of a group wait if hidden structure of it has changed.
//   - A byte cap for all peers together is divided by what each has to be sent.
//
// # From a change to bytes
//
//	World.Change         a tick by component and entity; World.Commit sets due bits by group and peer
//	Encoder.Partition    runs: public groups that changed only in their values, a packet's worth each
//	Encoder.Chunk        the update of a group, encoded once per tick, baseline and view
//	Encoder.Body         an action of a group, by encode.Key
//	Encoder.SpawnBatch   the fulls of many groups of one entity, as one string of bits for all peers
//	Encoder.CopyOf       a whole run as bytes, for all peers with baselines in one span
//	Peer.Prepare         the plan: steps, each a whole run, or updates for this peer
//	Peer.AppendUpdates   writes steps: appendCopy copies bytes, appendRecords writes updates
//	Encoder.AppendRun    writes chunks block by block, for one peer or as a copy for all
//
// # The states of a group at a peer
//
// What a peer was sent of a group is a row of columns in group.Space. Its values go through these states, each with the
// columns that it sets and the functions that set them:
//
//	due           Due; WaitingSince of a metered peer       World.Commit: Planner.MakeDue, Space.MarkDue
//	gathered      clears Due; there is an encode.Update     Planner.gatherDue
//	              clears Due, for a group in a whole run    Planner.planRun
//	planned       Planned, unless the peer is metered       Planner.encodeRecord
//	              or Fragmented and StructureDue, if no     Space.SendAsAction
//	              packet has room for it
//	              under a limit: Planned, and clears Due,   Planner.finish
//	              or Due again, if there is no room
//	written       Cursor; Planned of a metered peer         updates.noteWritten
//	              Cursor, Planned, for a whole run          updates.appendCopy
//	not written   Due again                                 Planner.RequeueUnsent, in the next Commit
//	unproven      no column: a bit in flight.Packets, if    updates.noteWritten
//	              ActionInFlight was set when it was written
//	acknowledged  Base, Prev; not for an unproven update,   updates.handleUpdateAcked, handleRunAcked
//	              nor for one that was overtaken
//	lost          Due and WaitingSince again, unless the    updates.handleUpdateLost
//	              peer has a later one, or it is planned
//
// Due again is Space.Requeue. For a group with a view it also sets Planned back to Base. The structure of a group goes
// through these states:
//
//	due           StructureDue                              World.Commit, NewPeer, Show, Hide, SetView, Retain
//	              NeedsFull                                 SetView, Show
//	nothing new   StructureAsOf, Due; clears StructureDue   actions.markStructureCurrent
//	sent          Present, or Ending instead; Seq,          actions.noteSent, Space.MarkActionsSent
//	              Unacked, ActionInFlight, ActionSent,
//	              StructureAsOf, WasSent, Base and
//	              Planned; clears StructureDue, NeedsFull,
//	              Due and Prev
//	delivered     clears Unacked and ActionInFlight, and    actions.handleActionDelivered
//	              Ending after an end; Due again, if an
//	              update was unproven
//	freed         clears the row of a private group         visibility.freeHandle, Space.ResetHandle
//
// While StructureDue is set, Due waits, because the action has the values as well. An action is never lost, because its
// channel resends it. It moves the baseline at once, because no later record applies before it.
//
// # What is acknowledged
//
// The peer acknowledges packets. HandleAcked finds the updates of each in flight.Packets. A message is delivered once the
// packets with all its parts are acknowledged: HandleDelivered finds its actions in flight.Messages, and reports those that
// nothing holds up at the peer. The way from a packet to these two calls is in package peer (handle.go). Within a packet,
// updates come first: then the record of what arrived when (rewind.Received) has them before the structure that they waited
// for.
//
// # Where things are
//
// The groups of the world, and what a peer was sent of them, are in package group, ids in ident, views in view, bytes in
// encode, plans in schedule, packets and messages in flight.
//
// Of one client a server has an endpoint client (connection and quota). It has a peer.Peer (packets and channels), which
// has a Peer of this package, which has a group.Peer (the rows of the groups). A source.Client knows what the client may
// see, and calls Show, Hide and SetView of the Peer.
//
// The world: world.go, entities.go (spawn, move, despawn, pause), reclaim.go, ids.go, stats.go. A peer: peer.go,
// plan.go, tombstones.go. It consists of five parts, each a type with its data:
//
//   - joining: joining.go.
//   - prediction: predict.go, and marks.go for the marks of predicted groups.
//   - visibility: show.go, views.go, retain.go, retire.go.
//   - actions: actions.go, spawns.go (many at once), usual.go, moves.go (units and needs).
//   - updates: updates.go, and for what became of the packets acked.go and lost.go.
//
// What a peer has received, for lag compensation: received.go.
//
// A part uses those above it; visibility also tells actions what changed, for that record. Updates and actions do not
// use each other, and updates do not use visibility. For tests:
// inspect.go.
package sender
