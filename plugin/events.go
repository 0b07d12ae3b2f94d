package plugin

import (
	"fmt"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/transport/token"
)

// ClientConnected is raised when a client has connected: on the server for every client, and on a
// client for itself. A Host, which is both for its own player, raises this and similar events once.
type ClientConnected struct {
	// Client is the id from the client's connect token.
	Client entangle.ClientID
	// UserData is the data that the token issuer put into the token for the game. A client cannot
	// read the data in its own token, so on a client it is zero.
	UserData [token.MaxUserData]byte
}

// ClientJoined is raised after ClientConnected, when a client has received everything that existed
// for it when it connected: on the server for every client, and on a client for itself. A large
// world arrives over many ticks, in whole groups, and the groups already received are kept up to
// date meanwhile. A game may want to show a loading screen before this event. The event does not
// wait for entities that ended in the meantime, for groups that cannot be sent (see GroupRefused),
// or for an entity that moved to another group before its first group arrived: it arrives later,
// like a new entity.
type ClientJoined struct {
	Client entangle.ClientID
}

// ClientDisconnected is raised when a connection has ended: on the server for every client that was
// connected, and on a client for itself, even if its attempt to connect failed. A client can
// connect and disconnect within one frame: read ClientConnected first, or the objects created for
// it are never removed.
type ClientDisconnected struct {
	Client entangle.ClientID
	// Err is the cause: errors.Is distinguishes ErrLeft, ErrKicked, ErrTimedOut and the others.
	// Error returns a sentence for people, such as the text passed to Server.Disconnect.
	Err error
}

// EntitySpawned is raised when a replica has appeared in this world. All components of its first
// record are on it already. It may have been removed since: ask World.Alive. A predicted one is alive
// without components if it was despawned ahead of the server, if its despawn has arrived, or if its tick
// is still to come: ask whether it has those that you use.
type EntitySpawned struct{ Entity ecs.Entity }

// EntityDespawned is raised when the network has removed an entity from this world. Entity is no
// longer alive: it serves as a key to the game's data about it. On a Host it may still be alive,
// only no longer visible to the host's player. The event is also raised for a replica that the
// client's game removed before, once the server despawns it or the connection ends. It is not raised
// for an entity that the server removed while it was paused, because that entity stays.
type EntityDespawned struct{ Entity ecs.Entity }

// ComponentInserted is raised when the network has given an entity a component of type C, including
// at its spawn. The value is on the entity, unless that was removed since: ask World.Alive.
//
// A predicted entity may lack the C, so ask whether it has one. One with protocol.Full is inserted by
// the rollback of the same frame, which comes after AfterReceive: read the event in a later set. And it
// may have no components at all, see EntitySpawned.
type ComponentInserted[C any] struct{ Entity ecs.Entity }

// ComponentUpdated is raised when the network has written the value of an entity's C. The value is
// on the entity, unless that was removed since: ask World.Alive. A predicted entity may lack the C, as with
// ComponentInserted, and keeps its predicted value of one with protocol.Full: Confirmed has the network's.
// If packets were lost, a value may be written that the entity has already. The event is never raised for
// an input, because values of inputs are not replicated: see InputReceived.
type ComponentUpdated[C any] struct{ Entity ecs.Entity }

// ComponentRemoved is raised when the network has removed C from an entity. It is not raised for
// the components of an entity that despawns. A predicted entity has a C with protocol.Full until the
// rollback of the same frame, which comes after AfterReceive.
type ComponentRemoved[C any] struct{ Entity ecs.Entity }

// GroupRefused is raised on a server when a group needs more than 64 KiB and is therefore not sent
// at all. It is raised once, until the entities or components of the group change.
type GroupRefused struct {
	// Entity is a member of the group.
	Entity ecs.Entity
	// Group is the number of the group, zero for an entity without a group.
	Group components.Group
}

// BoundExceeded is raised on a server when groups wait for longer than their MaxAge before they are
// sent to a client, because its cap, or the limit of 256 packets per client and tick, has no room
// for all groups that are due within the bound. It is raised once for each bound when that begins,
// and at most once in 60 ticks while it lasts. ReplicationStats.Overdue counts every case.
type BoundExceeded struct {
	Client entangle.ClientID
	// Entity is a member of the group that has waited longest. It may have been removed since: ask
	// World.Alive.
	Entity ecs.Entity
	// Group is the number of that group, zero for an entity without a group.
	Group components.Group
	// Groups is the number of groups with this bound that wait too long.
	Groups int
	// Age is the least number of ticks that the change will have waited when it can be sent next.
	// Bound is the allowed number.
	Age, Bound int
}

// TicksDropped is raised when a frame came too late to make up for all fixed steps since the last
// one: Ticks of them will never run. Stats().Overload counts them, and names the cause if the
// overload lasts.
type TicksDropped struct{ Ticks int }

func (ClientConnected) subscribe(*event.Hub)    {}
func (ClientJoined) subscribe(*event.Hub)       {}
func (ClientDisconnected) subscribe(*event.Hub) {}
func (EntitySpawned) subscribe(*event.Hub)      {}
func (EntityDespawned) subscribe(*event.Hub)    {}
func (GroupRefused) subscribe(*event.Hub)       {}
func (BoundExceeded) subscribe(*event.Hub)      {}
func (TicksDropped) subscribe(*event.Hub)       {}

func (ComponentInserted[C]) subscribe(h *event.Hub) {
	q := event.QueueOf[ComponentInserted[C]](h)
	componentEvents[C](h).OnInserted = func(e ecs.Entity) { q.Push(ComponentInserted[C]{e}) }
}

func (ComponentUpdated[C]) subscribe(h *event.Hub) {
	q := event.QueueOf[ComponentUpdated[C]](h)
	componentEvents[C](h).OnUpdated = func(e ecs.Entity) { q.Push(ComponentUpdated[C]{e}) }
}

func (ComponentRemoved[C]) subscribe(h *event.Hub) {
	q := event.QueueOf[ComponentRemoved[C]](h)
	componentEvents[C](h).OnRemoved = func(e ecs.Entity) { q.Push(ComponentRemoved[C]{e}) }
}

// componentEvents returns the events of component C, or panics if the network
// does not know C.
func componentEvents[C any](h *event.Hub) *event.ComponentEvents {
	t := reflect.TypeFor[C]()
	events := h.Component(t)
	if events == nil {
		panic(fmt.Sprintf("plugin: a reader of events of %v, which this side does not receive; on a client, "+
			"register it with protocol.Component[%v](p) before the app is made; a server receives no components", t, t))
	}
	return events
}
