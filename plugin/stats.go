package plugin

import (
	"slices"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/internal/world/input"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// ServerStats holds a server's counters since it was started. Invalid bytes from peers are counted
// in one of Dropped.
type ServerStats struct {
	Clients int

	// Datagrams and their bytes, as handed to and read from the sockets.
	PacketsOut, BytesOut uint64
	PacketsIn, BytesIn   uint64

	// Dropped counts dropped datagrams and connections by reason. Reasons that did not occur are
	// left out.
	Dropped []Dropped

	// Work is the work that clients' packets caused on the server, in the units of
	// ServerConfig.MaxWorkPerClient.
	Work uint64

	// MessagesDropped counts unreliable messages that did not fit under a cap, and BytesWaiting is
	// the unsent part of messages and structure; see ClientInfo.
	MessagesDropped uint64
	BytesWaiting    int

	Replication    ReplicationStats
	Messages       message.PostStats
	Resources      message.ResourceStats
	Inputs         input.InputStats // of all clients
	InputsPassedOn input.RelayStats

	// Overload says whether the server keeps its tick rate, and where its time goes.
	Overload OverloadStats
}

// ClientStats holds a client's counters since it was created. Invalid bytes from a server end the
// connection, and Reason says so. Counters of one connection keep the values of the last one until
// the next Connect, so that they can be read after Run has returned.
type ClientStats struct {
	PacketsOut, BytesOut uint64
	PacketsIn, BytesIn   uint64

	// Dropped counts dropped datagrams of this connection by reason.
	Dropped []Dropped

	// MessagesDropped counts unreliable messages of this connection that did not fit under the cap,
	// and BytesWaiting is the unsent part of messages.
	MessagesDropped uint64
	BytesWaiting    int

	// Entities is the number of entities that the server replicates to this client now.
	Entities    int
	Replication ReplicaStats
	Messages    message.PostStats

	Resources      message.ResourceStats
	Inputs         input.InputSent
	InputsOfOthers input.OthersStats

	// Overload says whether the client keeps its tick rate, and where its time goes;
	// ServerOverload whether the server does, as far as the client's clock shows it.
	Overload       OverloadStats
	ServerOverload ServerOverloadStats
}

// OverloadStats says whether an app keeps its tick rate, and where its time goes.
type OverloadStats = tick.OverloadStats

// ServerOverloadStats counts how often a client's clock was set back because its server had fallen
// behind.
type ServerOverloadStats = tick.ServerOverloadStats

// Dropped is the number of drops for one reason.
type Dropped struct {
	Reason string
	Count  uint64
}

// ReplicationStats counts what a server replicated.
type ReplicationStats struct {
	Entities int    // replicated now, or paused
	Groups   int    // that they are in
	Updates  uint64 // sendings of an entity's values, to one client each
	Actions  uint64 // sendings of an entity's structure, to one client each
	Encoded  uint64 // bodies that were encoded for both; each serves all clients
	Resent   uint64 // entities due again because a packet was presumed lost, or might have been dropped
	Resyncs  uint64 // entities sent in full because a client asked
	// PrivateResyncs is those of Resyncs in groups that not every client sees whole.
	PrivateResyncs uint64
	Clamped        uint64 // numbers outside their range, sent as, or rounded to, the nearest inside
	Refused        uint64 // entities too large to be sent, or one too many
	Overdue        uint64 // groups that waited for longer than their MaxAge, once for each client and tick
}

// ReplicaStats counts the records of groups that a client received, by their outcome.
type ReplicaStats struct {
	Updates uint64 // applied: values of a group
	Actions uint64 // applied: structure of a group
	Stale   uint64 // dropped because the client has something newer of the group
	Waited  uint64 // kept until a record that they depend on arrived
	// Overflow counts records that had to wait and were dropped, because together they exceed
	// ClientConfig.MaxWaitingBytes. They are sent again.
	Overflow uint64
	// Passed counts those of Overflow that were structure. The client requested a resync of their
	// entities.
	Passed uint64
	// Misfits counts updates that were dropped because their differences do not fit the client's
	// baseline. The client requests a resync of the group. No server of this version sends any.
	Misfits uint64
	// Resyncs counts groups for which the client requested a resync, because it could not apply
	// their records.
	Resyncs uint64
}

// Stats returns the server's counters.
func (s *Server) Stats() ServerStats {
	t := s.engine.Traffic()
	stats := ServerStats{
		Clients:    len(s.engine.Clients(nil)),
		PacketsOut: t.PacketsOut, BytesOut: t.BytesOut, PacketsIn: t.PacketsIn, BytesIn: t.BytesIn,
		Dropped: dropped(s.engine.Dropped()), Messages: s.post.Stats(), Work: s.engine.Work(),
	}
	stats.MessagesDropped, stats.BytesWaiting = s.engine.Held()
	if s.publisher != nil {
		stats.Overload = s.overload.Stats()
		r := s.publisher.World().Stats()
		stats.Replication = ReplicationStats{
			Entities: s.publisher.Len(), Groups: s.publisher.World().Len(),
			Updates: r.Updates, Actions: r.Actions, Encoded: r.Bodies, Resent: r.Resent, Resyncs: r.Resyncs, PrivateResyncs: r.PrivateResyncs,
			Clamped: s.publisher.Clamped(), Refused: r.GroupsRefused + r.TooLarge, Overdue: r.Overdue,
		}
		stats.Resources = s.resources.Stats()
		stats.Inputs, stats.InputsPassedOn = s.inputs.Stats(), s.inputs.PassedOn()
	}
	return stats
}

// Stats returns the client's counters.
func (c *Client) Stats() ClientStats {
	t := c.engine.Traffic()
	stats := ClientStats{
		PacketsOut: t.PacketsOut, BytesOut: t.BytesOut, PacketsIn: t.PacketsIn, BytesIn: t.BytesIn,
		Dropped: dropped(c.engine.Dropped()), Messages: c.post.Stats(),
	}
	stats.MessagesDropped, stats.BytesWaiting = c.engine.Held()
	if c.copy != nil {
		stats.Overload, stats.ServerOverload = c.overload.Stats(), c.steered.ServerOverload()
		stats.Entities = c.copy.Len()
		r := c.engine.Received()
		stats.Replication = ReplicaStats{
			Updates: r.Updates, Actions: r.Actions, Stale: r.Stale, Waited: r.Waited, Overflow: r.Overflow, Passed: r.Passed, Misfits: r.Misfits, Resyncs: r.Resyncs,
		}
		stats.Resources = c.shelf.Stats()
		stats.Inputs, stats.InputsOfOthers = c.inputs.Sent(), c.inputs.Others()
	}
	return stats
}

// dropped removes reasons that did not occur, and adds up the counts of several layers.
func dropped(counts []connection.Dropped) (list []Dropped) {
	for _, c := range counts {
		at := slices.IndexFunc(list, func(d Dropped) bool { return d.Reason == c.Reason })
		switch {
		case c.Count > 0 && at >= 0:
			list[at].Count += c.Count
		case c.Count > 0:
			list = append(list, Dropped{Reason: c.Reason, Count: c.Count})
		}
	}
	return list
}

// Link is the state of a client's connection.
type Link = endpoint.Link

// Link returns the state of the client's connection, or the final state of the last one; zero
// before the first, and from Connect until the next one is established.
func (c *Client) Link() Link { return c.engine.Link() }
