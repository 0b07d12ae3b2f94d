package plugin

import (
	"fmt"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/message"
)

// mustHaveApp returns the parts of the app of a world. It panics for a world without one; call names
// the function that needs it.
func mustHaveApp(w *ecs.World, call string) *apps.App {
	app := apps.Of(w)
	if app == nil {
		panic(fmt.Sprintf("plugin: %s in a world without an Entangle app; call it from the Initialize of a system "+
			"that was added to the Server, Client or Host, or after the app is initialised", call))
	}
	return app
}

// Sender sends messages of type M, for one system.
type Sender[M any] struct {
	post   *message.Post
	draft  *draft[M]
	number int
	player bool
}

// NewSender returns a sender of messages of type M. It is made in a system's
// Initialize and kept. It panics if no app is initialised in the world, and if M
// is not registered.
func NewSender[M any](w *ecs.World) Sender[M] {
	post := mustHaveApp(w, fmt.Sprintf("NewSender[%v]", reflect.TypeFor[M]())).Post
	number, plan, ok := post.Message(reflect.TypeFor[M]())
	if !ok {
		panic(fmt.Sprintf("plugin: NewSender[%[1]v], which is not registered; "+
			"register it with protocol.Message[%[1]v](p) before the app is made", reflect.TypeFor[M]()))
	}
	return Sender[M]{post: post, draft: newDraft[M](plan), number: number}
}

// Errors of messages without a connected recipient. Nothing was sent, and nothing is kept for
// later: check with errors.Is, and send again after ClientConnected.
var (
	// ErrNotConnected is returned when a client or a host's player sends while it is not Connected.
	ErrNotConnected = message.ErrNotConnected
	// ErrNoSuchClient is returned when a server sends to one client that is not connected to it.
	ErrNoSuchClient = message.ErrNoSuchClient
)

// Send sends a message with the packets of this frame: from a server to the clients of the target,
// from a client to the server. A client that targets other clients asks the server to relay the
// message; its type must be registered with Relay, and a set of clients may name 64. The server
// receives such a message in any case. components.Everyone includes the sending client: it receives
// its own message, from its own id, after a round trip. Targets.Except with its id leaves it out.
// On a Host, which is both, the player sends messages that only clients may send and messages to
// components.Server, and the server sends all others; see AsPlayer.
//
// The error describes an invalid message: text or a slice above its limit, a direction in which its
// type may not be sent, or an invalid target, such as too large a set from a client. Or it is
// ErrNotConnected. In both cases nothing was sent. A server may send to an empty target. The target
// is evaluated when the frame ends: a message to a room is for its clients at that time, including
// those added to it after the call. In a replay nothing is sent and no error returned, because the
// first run of the tick has sent the message.
func (s *Sender[M]) Send(target components.Target, m M) error {
	return s.send(target, entangle.Nobody, m)
}

// SendTo sends a message to one client; see Send. On a server the error may be ErrNoSuchClient. A
// client does not know which other clients are connected: a message to be relayed to a client that
// is not connected is lost without an error.
func (s *Sender[M]) SendTo(client entangle.ClientID, m M) error {
	if client == entangle.Nobody {
		return fmt.Errorf("plugin: SendTo needs a client; send to components.Server to reach the server")
	}
	return s.send(components.Nobody, client, m)
}

// AsPlayer returns a sender that sends for the player of this world, so that a system shared by
// Client and Host behaves the same on both, for a chat message to everybody, for example. On a
// Client it is the same sender. It panics on a Server, which has no player.
func (s Sender[M]) AsPlayer() Sender[M] {
	if !s.post.Plays() {
		panic(fmt.Sprintf("plugin: Sender[%v].AsPlayer on a Server, which has no player; call it on a Client or a Host", reflect.TypeFor[M]()))
	}
	s.player = true
	return s
}

func (s *Sender[M]) send(target components.Target, one entangle.ClientID, m M) error {
	s.draft.value = m
	defer s.draft.clear()
	if s.player {
		return s.post.Say(s.number, target, one, s.draft.encode)
	}
	return s.post.Send(s.number, target, one, s.draft.encode)
}
