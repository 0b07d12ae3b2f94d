package plugin

import (
	"errors"
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/transport/token"
)

// Player is the player of a Host. Each method does the same as the method of Client with the same
// name. There is no Wait and no Stats, because the player needs no packets, has the server's clock,
// and predicts nothing. Host.Stats has the counters of both.
type Player struct {
	server *Server
	local  *endpoint.Local
}

var errPlaying = errors.New("plugin: the host's player is connected or connecting; call Disconnect first")

// Connect lets the player join at the beginning of the next frame. Before the host's Start, or if
// that failed, the player is Connecting until the host has started. Connect may be called before
// Initialize, and again after a connection has ended. userData becomes ClientConnected.UserData,
// like the data in another player's token. It has at most token.MaxUserData bytes.
func (p *Player) Connect(userData []byte) error {
	if len(userData) > token.MaxUserData {
		return fmt.Errorf("plugin: Connect with %d bytes of user data; give it %d at most", len(userData), token.MaxUserData)
	}
	if p.local.Connecting() {
		return errPlaying
	}
	p.local.Connect(userData)
	return nil
}

// Disconnect ends the player's connection, or its attempt to connect; the host continues.
// EntityDespawned is raised for the entities that the player could see, and ClientDisconnected as
// for any client. The player's owned entities are removed at the end of the frame, see
// Server.Controlled. Server.Stop, and Server.Disconnect with the player's id, do the same with
// another reason.
func (p *Player) Disconnect() { p.server.engine.Leave(p.local) }

// State returns the state of the player's connection.
func (p *Player) State() State {
	switch {
	case p.local.Open():
		return Connected
	case p.local.Connecting():
		return Connecting
	}
	return Disconnected
}

// ID returns the player's id once it has connected, and until it connects again; entangle.Nobody
// before that. State says whether it is connected.
func (p *Player) ID() entangle.ClientID {
	if !p.local.Known() {
		return entangle.Nobody
	}
	return p.local.ID()
}

// Joined reports whether the player has received everything that existed for it when it connected.
// ClientJoined is raised for it, too.
func (p *Player) Joined() bool { return p.local.Joined() }

// Err returns why the player's last connection ended. It is nil before the first one and while one
// is active.
func (p *Player) Err() error { return p.local.Err() }

// SetInputDelay delays the player's inputs from the next tick on. No input is lost and none takes
// effect twice. Without it they take effect at once. It returns an error for values outside 0 to
// MaxInputDelay. The player has no round trip to the server, so the delay is InputDelay.Min.
//
// The inputs are relayed when they are written. If the delay covers the latency from the host to
// the other players, those receive them in time, as with an InputDelay of their own, and the host's
// player has no advantage.
func (p *Player) SetInputDelay(d InputDelay) error {
	if err := d.check("InputDelay"); err != nil {
		return err
	}
	p.local.SetInputDelay(d.Min)
	return nil
}

// InputDelay returns the player's current input delay, in ticks.
func (p *Player) InputDelay() int { return p.local.InputDelay() }
