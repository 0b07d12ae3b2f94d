package plugin

import (
	"slices"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// ServerStats holds the counters of a server or a host since it was created, except Dropped, which
// begins at zero with each Start. Invalid bytes from peers are counted in Dropped.
type ServerStats struct {
	// Clients is the number of connected clients, a host's own player included.
	Clients int

	// The numbers of datagrams and of their bytes, as passed to the sockets and read from them.
	PacketsOut, BytesOut uint64
	PacketsIn, BytesIn   uint64

	// Dropped counts dropped datagrams and connections by reason. Reasons that did not occur are
	// left out. The slice is never changed: a caller may keep it, and must not change it either.
	Dropped []Dropped

	// Work is the work that clients' packets caused on the server, in the units of
	// ServerConfig.MaxWorkPerClient.
	Work uint64

	// MessagesDropped counts unreliable messages that did not fit under a cap, and BytesWaiting is
	// the unsent part of messages and structure, in bytes now; see ClientInfo.
	MessagesDropped uint64
	BytesWaiting    int

	Replication ReplicationStats
	Messages    MessageStats
	Resources   ResourceStats
	Inputs      InputStats  // the inputs of all clients
	Rewinds     RewindStats // lag compensation

	// Overload says whether the server keeps its tick rate, and where its time goes.
	Overload OverloadStats
}

// ClientStats holds the state of a client's connection, clock and prediction, and its counters
// since it was created. Invalid bytes from a server end the connection, and Err says so. Counters
// that concern one connection keep the values of the last connection until the next Connect, so
// that they can be read after Run has returned.
type ClientStats struct {
	// Link is the state of the connection, or the final state of the last one; zero before the
	// first, and from Connect until the next one is established.
	Link LinkStats
	// Clock is the state of the client's clock.
	Clock ClockStats
	// Rollbacks counts rollbacks and corrections of predicted state.
	Rollbacks RollbackStats
	// Prespawned counts entities that this client spawned ahead of the server.
	Prespawned PrespawnStats

	// The numbers of datagrams and of their bytes, as passed to the sockets and read from them.
	PacketsOut, BytesOut uint64
	PacketsIn, BytesIn   uint64

	// Dropped counts dropped datagrams of this connection by reason. Reasons that did not occur are
	// left out. The slice is never changed: a caller may keep it, and must not change it either.
	Dropped []Dropped

	// MessagesDropped counts unreliable messages of this connection that did not fit under the cap,
	// and BytesWaiting is the unsent part of messages, in bytes now.
	MessagesDropped uint64
	BytesWaiting    int

	// GroupsArrived is the number of groups received, out of the GroupsExpected that existed for the
	// client when it connected: for a progress bar. Until all have arrived, it is an estimate below
	// GroupsExpected; groups created since then count as well. Both are 0 before the server has sent
	// the total.
	GroupsArrived, GroupsExpected int

	// Entities is the number of entities that the server replicates to this client now.
	Entities    int
	Replication ReplicaStats
	Messages    MessageStats

	Resources      ResourceStats
	Inputs         SentInputStats
	InputsOfOthers OthersInputStats

	// Overload says whether the client keeps its tick rate, and where its time goes;
	// ServerOverload whether the server does, as far as the client's clock shows it.
	Overload       OverloadStats
	ServerOverload ServerOverloadStats
}

// LinkStats is the state of a client's connection, measured on the client.
type LinkStats struct {
	// RTT is the smoothed round trip, including the time until a frame reads what has arrived, on
	// either side; Jitter is its smoothed deviation. Both are 0 until they are measured.
	RTT, Jitter time.Duration
	// Loss is the fraction of recent packets to the server that were lost, 0..1.
	Loss float64
	// Tick is the newest tick of the server that has arrived.
	Tick entangle.Tick
	// Quality rates the connection for play. It is Unknown without a connection.
	Quality Quality
}

// Quality rates a connection for play, by the timing of the player's inputs over the last 256
// ticks, and by the network statistics of packets. A higher one is worse.
type Quality uint8

// The qualities of a connection. The worst criterion decides.
const (
	// Unknown: there are no measurements yet.
	Unknown = Quality(timesync.Unknown)
	// Good: at most one tick in a hundred ran without the player's input, at most 5 % of packets
	// are lost, and the round trip deviates by at most 50 ms.
	Good = Quality(timesync.Good)
	// Fair: at most one tick in twenty, 15 % and 100 ms. Players can feel it.
	Fair = Quality(timesync.Fair)
	// Poor: worse than that.
	Poor = Quality(timesync.Poor)
)

// String returns the quality's name.
func (q Quality) String() string { return timesync.Quality(q).String() }

// OverloadStats says whether an app keeps its tick rate, and where its time goes.
type OverloadStats struct {
	// TicksDropped counts the ticks that were due and never ran, because a frame came too late to
	// make up for them. With TickPerUpdate, where a frame never makes up for ticks, it counts those
	// for which Update was not called in time.
	TicksDropped uint64
	// Behind is the time that these ticks would have simulated: the total delay of the simulation
	// against the clock.
	Behind time.Duration
	// Episodes counts overloads: periods in which ticks were dropped repeatedly for at least a
	// second. Each ends after three seconds without a dropped tick.
	Episodes uint64
	// Overloaded: an overload is going on now.
	Overloaded bool

	// Kept is the actual rate when the last overload was found, in ticks per second of the app's
	// clock. Part is the part of the frame that took the most time then, and System the game's
	// slowest system, or "" if the most time was spent outside of Update. They are zero before the
	// first overload.
	Kept   float64
	Part   string
	System string

	// Times is the time spent in each part of all frames, by the app's clock.
	Times FrameTimes
}

// FrameTimes is the time spent in each part of all frames since the app was created. Each part
// includes the game's systems in its sets.
type FrameTimes struct {
	Receiving  time.Duration // reading and applying datagrams
	Predicting time.Duration // comparing with the confirmed state, and replaying ticks
	Simulating time.Duration // the ticks of the frames
	Sending    time.Duration // finding changes and writing packets
	AfterSend  time.Duration // the set AfterSend
	// Outside is the time between two frames beyond the length of a tick: the program does
	// something else, or does not run. Waiting is the time up to that length.
	Outside, Waiting time.Duration
}

// ServerOverloadStats counts how often a client's clock was set back because its server had fallen
// behind.
type ServerOverloadStats struct {
	// Jumps counts how often the clock was set back because the server's ticks had fallen behind
	// it. Ticks is the sum of these jumps.
	Jumps, Ticks uint64
	// Episodes counts jumps that follow each other within ten seconds as one.
	Episodes uint64
	// Overloaded: the last jump was less than ten seconds ago.
	Overloaded bool
}

// Dropped is the number of drops for one reason.
type Dropped struct {
	Reason string
	Count  uint64
}

// MessageStats counts messages, requests and responses.
type MessageStats struct {
	Sent, Received uint64
	Waited         uint64 // messages that were held back until an entity that they refer to arrived
	Dangling       uint64 // messages that were delivered without an entity that never arrived
	// Early counts messages with WhenShown that were delivered before their tick was shown, because
	// more than 1,024 messages or 256 KiB waited, or one of them for more than 512 ticks.
	Early   uint64
	Relayed uint64 // messages that were passed on to other clients
	Refused uint64 // messages that were not relayed, because too much was queued already
}

// ResourceStats counts values of replicated resources.
type ResourceStats struct {
	Changed  uint64 // values that differed from the last, each sent to its target
	Clamped  uint64 // numbers outside their range, sent as the nearest number in the range
	Refused  uint64 // values that could not be sent
	Sent     uint64 // values and removals, counted for each client
	Received uint64 // values and removals
}

// InputStats counts inputs of clients on a server: ticks of one entity and type of input.
type InputStats struct {
	InTime  uint64 // arrived before their tick ran
	Late    uint64 // arrived only after their tick had run; they never take effect
	Missing uint64 // ticks that ran without an input, and repeated the previous one

	Refused uint64 // inputs for entities that the sender does not control, or no longer controls
	TooFar  uint64 // inputs of the far past or future
	Flooded uint64 // packets beyond what a client may send
	Relayed uint64 // runs of ticks encoded for other clients; each serves all of them

	Intents        uint64 // entities of protocol.Intent that were spawned
	IntentsRefused uint64 // those that the function of IntentRule.Accept has refused
	IntentsCrowded uint64 // shots that were not fired, because 256 entities of the client were waiting for their ticks

	// SeenClamped counts ticks for which a client claimed to have seen entities at a time that is more than
	// half a second after the newest tick, or longer ago than twice its round trip, two send intervals and
	// a quarter of a second, or than a second. Inputs.Seen then returns the nearest possible time. An
	// honest client claims such times after its frames have stopped for a while.
	SeenClamped uint64
}

// RewindStats counts the views of players' screens that systems have asked for by Rewind, one for each player and
// tick at most.
type RewindStats struct {
	Views    uint64 // of the screen of a client
	Clamped  uint64 // of them, those with a time that was not possible, or longer ago than ServerConfig.MaxRewind
	Repeated uint64 // of them, those of an input that did not arrive, so that the time is an estimate
	Present  uint64 // requests for a view of the present: of bots, of the player of a Host, of nobody

	// Targets counts the entities in views of clients that were shown in the past, and Waited those of them that
	// had begun to move when an update arrived, because they had rested or it was late. The server knows the
	// frame of that from the acknowledgement, to within a frame or two if packets were lost or frames are more
	// frequent than ticks.
	Targets, Waited uint64
}

// SentInputStats counts the inputs that a client sent.
type SentInputStats struct {
	Frames  uint64 // packets with inputs
	Streams uint64 // input streams in them; each has the newest ticks of one entity and type
	// LeftOut counts references to entities that were sent as no entity: beyond
	// protocol.MaxInputEntities in one packet for one entity and type of input. The first is logged.
	LeftOut uint64
}

// OthersInputStats counts the inputs of other players that a client received.
type OthersInputStats struct {
	Received uint64
	Unknown  uint64 // for an entity that does not exist here, has no such input, or is controlled here
	TooFar   uint64 // beyond the ticks that are kept
	Crowded  uint64 // beyond the number of streams that are kept
}

// ReplicationStats counts what a server replicated.
type ReplicationStats struct {
	Entities int    // replicated now, or paused
	Groups   int    // the groups that these entities are in
	Updates  uint64 // how often the values of an entity were sent, counted for each client
	Actions  uint64 // how often the structure of an entity was sent, counted for each client
	Encoded  uint64 // encoded bodies of updates and actions; each serves all clients
	Resent   uint64 // entities due again because a packet was presumed lost, or might have been dropped
	Clamped  uint64 // numbers outside their range, sent as, or rounded to, the nearest number in the range
	Refused  uint64 // groups that were not sent: they are too large, or no handle was left
	Overdue  uint64 // groups that waited for longer than their MaxAge, once for each client and tick
}

// ReplicaStats counts the records of groups that a client received, by their outcome.
type ReplicaStats struct {
	Updates uint64 // applied: values of a group
	Actions uint64 // applied: structure of a group
	Stale   uint64 // dropped because the client has something newer of the group
	Waited  uint64 // kept until a record that they depend on arrived
	// Overflow counts updates that had to wait and were dropped, because what waits already took half
	// of ClientConfig.MaxWaitingBytes, or 16 updates of the group waited. They are sent again.
	Overflow uint64
}

// Stats returns the server's counters. It may be called in every frame: it allocates only after
// something was dropped.
func (s *Server) Stats() ServerStats {
	t := s.engine.Traffic()
	s.drops.counts = s.engine.AppendDropped(s.drops.counts[:0])
	stats := ServerStats{
		Clients:    s.engine.Open(),
		PacketsOut: t.PacketsOut, BytesOut: t.BytesOut, PacketsIn: t.PacketsIn, BytesIn: t.BytesIn,
		Dropped: s.drops.list(), Messages: MessageStats(s.post.Stats()), Work: s.engine.Work(),
	}
	stats.MessagesDropped, stats.BytesWaiting = s.engine.Held()
	if s.collector != nil {
		stats.Overload = s.overloadStats()
		r := s.collector.World.Stats()
		stats.Replication = ReplicationStats{
			Entities: s.collector.Len(), Groups: s.collector.World.Len(),
			Updates: r.Updates, Actions: r.Actions, Encoded: r.Bodies, Resent: r.Resent,
			Clamped: s.collector.Clamped(), Refused: r.GroupsRefused + r.TooLarge, Overdue: r.Overdue,
		}
		stats.Resources = ResourceStats(s.resources.Stats())
		i := s.inputs.Stats()
		stats.Inputs = InputStats{
			InTime: i.InTime, Late: i.Late, Missing: i.Missing, Refused: i.Refused, TooFar: i.TooFar, Flooded: i.Flooded,
			SeenClamped: i.SeenClamped, Relayed: s.inputs.PassedOn().Encoded,
			Intents: i.Intents, IntentsRefused: i.IntentsRefused, IntentsCrowded: i.IntentsCrowded,
		}
		if s.rewind != nil {
			r := s.rewind.Stats()
			stats.Rewinds = RewindStats{
				Views: r.Views, Clamped: r.Clamped, Repeated: r.Repeated, Present: r.Present, Targets: r.Targets, Waited: r.Waited,
			}
		}
	}
	return stats
}

// Stats returns the state of the client's connection, clock and prediction, and its counters. It may
// be called in every frame: it allocates only after something was dropped.
func (c *Client) Stats() ClientStats {
	t, l := c.engine.Traffic(), c.engine.Link()
	c.drops.counts = c.engine.AppendDropped(c.drops.counts[:0])
	stats := ClientStats{
		Link:       LinkStats{RTT: l.RTT, Jitter: l.Jitter, Loss: l.Loss, Tick: l.Tick, Quality: Quality(c.engine.Quality())},
		Clock:      c.clockStats(),
		PacketsOut: t.PacketsOut, BytesOut: t.BytesOut, PacketsIn: t.PacketsIn, BytesIn: t.BytesIn,
		Dropped: c.drops.list(), Messages: MessageStats(c.post.Stats()),
	}
	stats.MessagesDropped, stats.BytesWaiting = c.engine.Held()
	stats.GroupsArrived, stats.GroupsExpected = c.engine.Joining()
	if c.applier != nil {
		stats.Rollbacks = RollbackStats(c.prediction.Stats())
		stats.Prespawned = PrespawnStats(c.prediction.Prespawned())
		stats.Overload, stats.ServerOverload = c.overloadStats(), ServerOverloadStats(c.steered.ServerOverload())
		stats.Entities = c.applier.Replicas.Len()
		r := c.engine.Received()
		stats.Replication = ReplicaStats{
			Updates: r.Updates, Actions: r.Actions, Stale: r.Stale, Waited: r.Waited, Overflow: r.Overflow,
		}
		stats.Resources = ResourceStats(c.resources.Stats())
		stats.Inputs, stats.InputsOfOthers = SentInputStats(c.inputs.Sent()), OthersInputStats(c.inputs.OthersStats())
	}
	return stats
}

func (f *frame) overloadStats() OverloadStats {
	o := f.overload.Stats()
	return OverloadStats{
		TicksDropped: o.TicksDropped, Behind: o.Behind, Episodes: o.Episodes, Overloaded: o.Overloaded,
		Kept: o.Kept, Part: o.Part, System: o.System,
		Times: FrameTimes{
			Receiving: o.Times[tick.Receiving], Predicting: o.Times[tick.Predicting], Simulating: o.Times[tick.Simulating],
			Sending: o.Times[tick.Sending], AfterSend: o.Times[tick.Showing], Outside: o.Times[tick.Outside], Waiting: o.Times[tick.Waiting],
		},
	}
}

// drops makes the list of drops of each call of Stats. It returns the same list again for as long as
// nothing was dropped.
type drops struct {
	counts  []connection.Dropped // the counters of all reasons and layers
	now     []Dropped            // scratch
	current []Dropped            // the list that was returned last
}

// list returns the reasons that occurred, with the counts of several layers added up.
func (d *drops) list() []Dropped {
	d.now = d.now[:0]
	for _, c := range d.counts {
		at := slices.IndexFunc(d.now, func(d Dropped) bool { return d.Reason == c.Reason })
		switch {
		case c.Count > 0 && at >= 0:
			d.now[at].Count += c.Count
		case c.Count > 0:
			d.now = append(d.now, Dropped{Reason: c.Reason, Count: c.Count})
		}
	}
	if !slices.Equal(d.now, d.current) {
		d.current = slices.Clone(d.now)
	}
	return d.current
}
