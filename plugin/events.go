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

// UserDataSize is the number of bytes that a connect token carries for the game.
const UserDataSize = token.MaxUserData

// ClientConnected is raised when a client has connected: on the server for every
// client, and on a client for itself. A Host, who is both for its own player, raises this
// and the like once.
type ClientConnected struct {
	// Client is the id from the client's connect token.
	Client entangle.ClientID
	// UserData is what whoever minted the token put into it for the game. A client
	// cannot read its own token's, so on a client it is zero.
	UserData [UserDataSize]byte
}

// ClientJoined is raised when a client holds everything that was there for it when it
// connected, after ClientConnected: on the server for every client, and on a client for
// itself. A large world comes over many ticks, whole groups at a time, and what has come
// is kept up to date meanwhile; before this event a game may want to show that it loads.
// What ended on the way is not waited for, nor what can't be sent (see GroupRefused), nor an
// entity that went to another group before the client had the first: that comes like any
// that is new.
type ClientJoined struct {
	Client entangle.ClientID
}

// ClientDisconnected is raised when a connection has ended: on the server for
// every client that was connected, and on a client for itself, also when its
// attempt to connect failed. A client can come and go within one frame: read
// ClientConnected first, or what is made for it stays.
type ClientDisconnected struct {
	Client entangle.ClientID
	// Reason says why, in a sentence for people: the text that Disconnect was
	// given on either side, or what the engine found.
	Reason string
}

// EntitySpawned is raised when an entity that the network brought has appeared in
// this world. All components of its first message are on it already. It may have
// been removed since: ask World.Alive.
type EntitySpawned struct{ Entity ecs.Entity }

// EntityDespawned is raised when the network has removed an entity from this
// world. Entity is no longer alive: it serves as a key to what the game kept
// about it. On a Host it may be alive, and only its player does not see it any more.
type EntityDespawned struct{ Entity ecs.Entity }

// ComponentInserted is raised when the network has given an entity a component of
// type C, also with its spawn. The value is on the entity, unless that was removed
// since: ask World.Alive.
type ComponentInserted[C any] struct{ Entity ecs.Entity }

// ComponentUpdated is raised when the network has changed the value of an
// entity's C. The value is on the entity, unless that was removed since: ask
// World.Alive. It is never raised for an input, of which no value is replicated: see
// InputReceived.
type ComponentUpdated[C any] struct{ Entity ecs.Entity }

// ComponentRemoved is raised when the network has taken C from an entity. It is
// not raised for the components of an entity that despawns.
type ComponentRemoved[C any] struct{ Entity ecs.Entity }

// GroupRefused is raised on a server when a group needs more than 64 KiB and is
// therefore not sent, in no part: once, until entities or components come to it or go.
type GroupRefused struct {
	// Entity is one of the group.
	Entity ecs.Entity
	// Group is its name, zero for a group of its own.
	Group components.Group
}

// BoundExceeded is raised on a server when groups wait for longer than their MaxAge before
// a client is sent them, because its cap, or the 256 packets that a client gets in a tick, have no
// room for all that is to go before the bound: once for each bound when that begins, and at most once in 60 ticks while it lasts.
// ReplicationStats.Overdue counts every case.
type BoundExceeded struct {
	Client entangle.ClientID
	// Entity is one of the group that has waited for longest. It may have been removed
	// since: ask World.Alive.
	Entity ecs.Entity
	// Group is that group's name, zero for a group of its own.
	Group components.Group
	// Groups is how many of this bound wait for too long.
	Groups int
	// Age is for how many ticks the change will have waited when it can be sent next, at
	// least; Bound is for how many it may.
	Age, Bound int
}

// TicksDropped is raised when a frame came so late that it could not make up for
// all fixed steps since the last: Ticks of them will never run. Stats().Overload counts
// them, and names what takes the time where it goes on.
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
	componentEvents[C](h).OnInserted(func(e ecs.Entity) { q.Push(ComponentInserted[C]{e}) })
}

func (ComponentUpdated[C]) subscribe(h *event.Hub) {
	q := event.QueueOf[ComponentUpdated[C]](h)
	componentEvents[C](h).OnUpdated(func(e ecs.Entity) { q.Push(ComponentUpdated[C]{e}) })
}

func (ComponentRemoved[C]) subscribe(h *event.Hub) {
	q := event.QueueOf[ComponentRemoved[C]](h)
	componentEvents[C](h).OnRemoved(func(e ecs.Entity) { q.Push(ComponentRemoved[C]{e}) })
}

// componentEvents returns the events of component C, or panics if the network
// does not know C.
func componentEvents[C any](h *event.Hub) *event.ComponentEvents {
	t := reflect.TypeFor[C]()
	events, ok := h.Component(t)
	if !ok {
		panic(fmt.Sprintf("plugin: a reader of events of %v, which this side does not receive; on a client, "+
			"register it with protocol.Component[%v](p) before the app is made; a server receives no components", t, t))
	}
	return events
}
