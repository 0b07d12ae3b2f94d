package plugin

import (
	"errors"

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
// A Host has all methods of a Server. Player returns its player, whose methods are named like those
// of a Client. The server treats the player like any other client, with three differences: no
// remote client can use the player's id, the player does not count towards MaxClients, and Clients
// lists it without an address and with a round trip of 0. No packets are made for it:
//
//   - The player uses the server's entities. They have no components.Remote; the player's own have
//     components.Controlled, if components.ControlledBy is registered.
//   - Everything that a frame sends to the player is delivered before AfterReceive of the next
//     frame: connections, messages, requests and responses, and the events of entities, components
//     and resources that the player can see. An entity that the player cannot see, by Target or
//     Relevance, still exists in this world: the player gets no events of it, it has no
//     components.Controlled, and in messages to the player it is no entity. EntityDespawned is
//     raised for a hidden entity, too, although it is still alive.
//   - A Sender sends for the server, except messages that only clients may send and messages to
//     components.Server, which come from the player; see Sender.AsPlayer. A Requester sends
//     requests of the player.
//   - A Reader of messages reads the messages to the server as well as those to the player:
//     MessageReceived.To tells them apart.
type Host struct {
	*Server
	player Player
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
	h := &Host{Server: server, player: Player{server: server, local: endpoint.NewLocal(local, server.post)}}
	server.engine.AddLocal(h.player.local)
	return h, nil
}

// Initialize attaches the host to a world, like Server.Initialize.
func (h *Host) Initialize(w *ecs.World) {
	if !h.initEngine(w) {
		return
	}
	spawned, despawned := event.QueueOf[EntitySpawned](h.hub), event.QueueOf[EntityDespawned](h.hub)
	h.player.local.Attach(h.collector, h.hub,
		func(e ecs.Entity) { spawned.Push(EntitySpawned{e}) },
		func(e ecs.Entity) { despawned.Push(EntityDespawned{e}) })
	h.player.local.AttachResources(h.hub, h.resources)
	h.inputs.AttachLocal(h.player.local)
	h.schedule.Initialize(w)
}

// Start is Server.Start. Without listeners nobody can join, and the host's player plays alone.
func (h *Host) Start(listeners ...transport.Listener) error {
	if len(listeners) == 0 {
		return h.open(nil)
	}
	return h.Server.Start(listeners...)
}

// Player returns the host's own player.
func (h *Host) Player() *Player { return &h.player }

var (
	_ App = (*Server)(nil)
	_ App = (*Client)(nil)
	_ App = (*Host)(nil)
)
