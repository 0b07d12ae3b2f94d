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

// Host is a server with a player of its own: one app with one world, in which the player's
// systems and the server's run side by side. Remote clients play with it, and without any
// it is a game for one.
//
// All that a Server does, it does, by the same methods. To the server its player is a
// client like the others: with an id that no remote client gets in by, beside MaxClients,
// in Clients without an address and with a round trip of 0. But no packet is made for it:
//
//   - The server's entities are the player's. They have no components.Remote; the player's
//     own have components.Controlled, where components.ControlledBy is registered.
//   - What one frame brings the player, the next one's Receive hands over: connections,
//     messages, requests and answers, and the events of entities, components and resources
//     that the player is shown. An entity that it is not shown, by Target or Relevance, is
//     in this world all the same: for the player it has no events, no components.Controlled,
//     and is no entity in messages. EntityDespawned tells what is hidden, too, and that is
//     still alive.
//   - A Sender speaks for the server, but for what only clients may send and for
//     components.Server, which are the player's words; see Sender.AsPlayer. A Requester
//     asks for the player.
//   - A Reader of messages reads what has come to the server, and what has come to the
//     player: MessageReceived.To tells one from the other.
type Host struct {
	*Server
	player *endpoint.Local
}

// NewHost returns a host that is stopped, whose player will have the id local. The error
// says what is wrong with the config or the id, or with what was registered in its
// Protocol.
func NewHost(config ServerConfig, local entangle.ClientID) (*Host, error) {
	if local == entangle.Nobody {
		return nil, errors.New("plugin: NewHost needs an id for the host's own player; give it one that no other player has, such as 1")
	}
	server, err := NewServer(config)
	if err != nil {
		return nil, err
	}
	h := &Host{Server: server, player: endpoint.NewLocal(local, server.post)}
	server.engine.House(h.player)
	return h, nil
}

// Initialize makes the host part of a world, like Server.Initialize.
func (h *Host) Initialize(w *ecs.World) {
	if !h.enter(w) {
		return
	}
	spawned, despawned := event.QueueOf[EntitySpawned](h.hub), event.QueueOf[EntityDespawned](h.hub)
	h.player.Attach(h.publisher, h.hub,
		func(e ecs.Entity) { spawned.Push(EntitySpawned{e}) },
		func(e ecs.Entity) { despawned.Push(EntityDespawned{e}) })
	h.player.AttachResources(h.hub, h.resources)
	h.inputs.House(h.player)
	h.schedule.Initialize(w)
}

// Start is Server.Start. Without listeners nobody can come, and the host's player plays
// alone.
func (h *Host) Start(listeners ...transport.Listener) error {
	if len(listeners) == 0 {
		return h.open(nil)
	}
	return h.Server.Start(listeners...)
}

var errPlaying = errors.New("plugin: the host's player is connected or connecting; call Leave first")

// Connect has the host's player join, at the beginning of the next frame. Before Start, or
// where that failed, it is Connecting until the host has started. It may be called before
// Initialize, and again after a connection has ended. userData is what ClientConnected
// says: what another player's token carries, at most UserDataSize bytes.
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

// Leave ends the connection of the host's player, or its way there; the host goes on. What
// the player was shown is raised as EntityDespawned, and ClientDisconnected as of any
// client; what it controls goes at the end of the frame, see Server.Controlled. Stop, and
// Disconnect of its id, do the same with another reason.
func (h *Host) Leave() { h.engine.Leave(h.player, "the client left") }

// ID returns the id of the host's player once it is connected, and until it connects again;
// entangle.Nobody before, as with Client.ID. LocalState tells whether it is connected.
func (h *Host) ID() entangle.ClientID {
	if !h.player.Known() {
		return entangle.Nobody
	}
	return h.player.ID()
}

// LocalState returns where the host's player is. State is the server's.
func (h *Host) LocalState() State {
	switch {
	case h.player.Open():
		return Connected
	case h.player.Connecting():
		return Connecting
	}
	return Disconnected
}

// Joined reports whether the host's player was told of all that was there for it when it
// connected. It is told as ClientJoined, too.
func (h *Host) Joined() bool { return h.player.Joined() }

// Reason returns why the last connection of the host's player ended, "" before there was
// one and while one goes on.
func (h *Host) Reason() string { return h.player.Reason() }

var (
	_ App = (*Server)(nil)
	_ App = (*Client)(nil)
	_ App = (*Host)(nil)
)
