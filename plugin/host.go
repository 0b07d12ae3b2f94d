package plugin

import (
	"errors"
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/transport"
)

// Host is a server with a player of its own: one app with one world, in which the systems of the
// player and of the server run side by side. Remote clients can join, and without any it is a
// single-player game.
//
// A Host does everything that a Server does, by the same methods. The server treats its player as a
// client like the others: with an id that no remote client can use, not counted in MaxClients, and
// listed in Clients without an address and with a round trip of 0. But no packets are made for it:
//
//   - The player uses the server's entities. They have no components.Remote; the player's own have
//     components.Controlled, if components.ControlledBy is registered.
//   - Everything that a frame sends to the player is delivered before AfterReceive of the next frame:
//     connections, messages, requests and responses, and the events of entities, components and
//     resources that the player can see. An entity that the player cannot see, by Target or
//     Relevance, still exists in this world: for the player it has no events, no
//     components.Controlled, and is no entity in messages. EntityDespawned is raised for a hidden
//     entity, too, although it is still alive.
//   - A Sender sends for the server, except messages that only clients may send and messages to
//     components.Server, which come from the player; see Sender.AsPlayer. A Requester sends
//     requests of the player.
//   - A Reader of messages reads the messages to the server as well as those to the player:
//     MessageReceived.To tells them apart.
type Host struct {
	*Server
	player *endpoint.Local
}

// NewHost returns a stopped host, whose player will have the id local. The error describes mistakes
// in the config, the id, or the registrations of its Protocol.
func NewHost(config ServerConfig, local entangle.ClientID) (*Host, error) {
	if local == entangle.Nobody {
		return nil, errors.New("plugin: NewHost needs an id for the host's own player; give it one that no other player has, such as 1")
	}
	server, err := NewServer(config)
	if err != nil {
		return nil, err
	}
	h := &Host{Server: server, player: endpoint.NewLocal(local, server.post)}
	server.engine.AddLocal(h.player)
	return h, nil
}

// Initialize attaches the host to a world, like Server.Initialize.
func (h *Host) Initialize(w *ecs.World) {
	if !h.enter(w) {
		return
	}
	spawned, despawned := event.QueueOf[EntitySpawned](h.hub), event.QueueOf[EntityDespawned](h.hub)
	h.player.Attach(h.publisher, h.hub,
		func(e ecs.Entity) { spawned.Push(EntitySpawned{e}) },
		func(e ecs.Entity) { despawned.Push(EntityDespawned{e}) })
	h.player.AttachResources(h.hub, h.resources)
	h.inputs.AttachLocal(h.player)
	h.schedule.Initialize(w)
}

// Start is Server.Start. Without listeners nobody can join, and the host's player plays alone.
func (h *Host) Start(listeners ...transport.Listener) error {
	if len(listeners) == 0 {
		return h.open(nil)
	}
	return h.Server.Start(listeners...)
}

var errPlaying = errors.New("plugin: the host's player is connected or connecting; call Leave first")

// Connect lets the host's player join at the beginning of the next frame. Before Start, or if that
// failed, the player is Connecting until the host has started. Connect may be called before
// Initialize, and again after a connection has ended. userData becomes ClientConnected.UserData,
// like the data in another player's token: at most UserDataSize bytes.
func (h *Host) Connect(userData []byte) error {
	if len(userData) > UserDataSize {
		return fmt.Errorf("plugin: Connect with %d bytes of user data; give it %d at most", len(userData), UserDataSize)
	}
	if h.player.Connecting() {
		return errPlaying
	}
	h.player.Connect(userData)
	return nil
}

// Leave ends the connection of the host's player, or its attempt to connect; the host continues.
// EntityDespawned is raised for the entities that the player could see, and ClientDisconnected as
// for any client. The player's owned entities are removed at the end of the frame, see
// Server.Controlled. Stop, and Disconnect with the player's id, do the same with another reason.
func (h *Host) Leave() { h.engine.Leave(h.player, "the client left") }

// ID returns the id of the host's player once it has connected, and until it connects again;
// entangle.Nobody before that, like Client.ID. LocalState says whether it is connected.
func (h *Host) ID() entangle.ClientID {
	if !h.player.Known() {
		return entangle.Nobody
	}
	return h.player.ID()
}

// LocalState returns the state of the connection of the host's player. State is the state of the
// server.
func (h *Host) LocalState() State {
	switch {
	case h.player.Open():
		return Connected
	case h.player.Connecting():
		return Connecting
	}
	return Disconnected
}

// Joined reports whether the host's player has received everything that existed for it when it
// connected. ClientJoined is raised for it, too.
func (h *Host) Joined() bool { return h.player.Joined() }

// Reason returns why the last connection of the host's player ended. It is "" before the first one
// and while one is active.
func (h *Host) Reason() string { return h.player.Reason() }

var (
	_ App = (*Server)(nil)
	_ App = (*Client)(nil)
	_ App = (*Host)(nil)
)
