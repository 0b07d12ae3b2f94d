package plugin

import (
	"slices"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/internal/world/input"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// ServerStats counts what a server did since it was started. Peers' bytes that are
// wrong end up in one of Dropped.
type ServerStats struct {
	Clients int

	// Datagrams and their bytes, as handed to and taken from the sockets.
	PacketsOut, BytesOut uint64
	PacketsIn, BytesIn   uint64

	// Dropped counts datagrams and connections by the reason for which they were
	// dropped. Reasons that did not occur are left out.
	Dropped []Dropped

	// Work is how much packets of clients made the server do, in the units of
	// ServerConfig.MaxWorkPerClient.
	Work uint64

	// MessagesDropped counts unreliable messages that found no room under a cap, and
	// BytesWaiting is what was not sent yet of messages and structure; see ClientInfo.
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

// ClientStats counts what a client did since it was made. Wrong bytes of a server
// end the connection, and Reason says so. What is of one connection is of the last one until
// the next Connect, so that it can be asked when Run has returned.
type ClientStats struct {
	PacketsOut, BytesOut uint64
	PacketsIn, BytesIn   uint64

	// Dropped counts datagrams of this connection by the reason for which they were dropped.
	Dropped []Dropped

	// MessagesDropped counts unreliable messages of this connection that found no room under
	// the cap, and BytesWaiting is what was not sent yet of messages.
	MessagesDropped uint64
	BytesWaiting    int

	// Entities that the server replicates to this client now.
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

// ServerOverloadStats says how often a client's clock was set back since its server had
// fallen behind.
type ServerOverloadStats = tick.ServerOverloadStats

// Dropped is how often something was dropped for one reason.
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

// ReplicaStats counts what a client did with the records of groups that the server sent.
type ReplicaStats struct {
	Updates uint64 // applied: values of a group
	Actions uint64 // applied: structure of a group
	Stale   uint64 // dropped because the client has something newer of the group
	Waited  uint64 // kept until a record that they depend on arrived
	// Overflow counts records that had to wait and were dropped, because the client keeps no
	// more than ClientConfig.MaxWaitingBytes of them. They are sent again.
	Overflow uint64
	// Passed counts those of Overflow that were structure. Their entities were asked for in full.
	Passed uint64
	// Misfits counts updates that were dropped because their differences do not fit what the
	// client holds. The group is asked for in full. No server of this version sends any.
	Misfits uint64
	// Resyncs counts groups that the client could not follow and asked for in full.
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

// dropped leaves out what did not occur, and adds up what several layers count.
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

// Link is what a client knows of its connection.
type Link = endpoint.Link

// Link returns what the client knows of its connection, or of the last one as it was at its end;
// zero before the first, and from Connect until there is one.
func (c *Client) Link() Link { return c.engine.Link() }
