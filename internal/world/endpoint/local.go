package endpoint

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// Local is the connection of a host's own player, without a network.
//
// The server treats it like any other client. Messages that one side sends in a frame are
// delivered in the receive step of the next frame, decoded from their bytes, as if they had crossed
// a network without delay. The events of the local view are raised at the same time. The player's
// entities are the server's own.
type Local struct {
	id        entangle.ClientID
	userData  []byte
	post      *message.Post
	mail      *message.Inbox // the server's inbox for the player's messages
	view      localView
	resources localResources

	wanted bool // connecting or connected
	known  bool // connected, or disconnected since the last Connect
	open   bool
	joined bool
	since  uint64 // Outgoing.When of the first message after the connection began
	delay  int    // the input delay, in ticks
	err    error  // why the last connection ended

	says  message.Outbox // messages that the player sent in this frame
	inbox message.Outbox // messages in both directions that the next frame delivers
	hand  message.Outbox // messages in both directions that this frame delivers

	r    bits.Reader
	refs []ecs.Entity // scratch
}

// NewLocal returns a disconnected player. Messages that the game sends through post as the player
// come from it.
func NewLocal(id entangle.ClientID, post *message.Post) *Local {
	l := &Local{id: id, post: post}
	post.Player, post.Playing = &l.says, l.Open
	return l
}

// ID returns the player's id.
func (l *Local) ID() entangle.ClientID { return l.id }

// Connecting reports whether the player is connecting or connected.
func (l *Local) Connecting() bool { return l.wanted }

// Open reports whether the player is connected.
func (l *Local) Open() bool { return l.open }

// Known reports whether the player is connected, or has been since the last Connect.
func (l *Local) Known() bool { return l.known }

// Joined reports whether the events of everything that the server had for the player when it
// connected have been raised.
func (l *Local) Joined() bool { return l.joined }

// Err returns why the last connection ended. It is nil before the first, and while the player is
// connected or connecting.
func (l *Local) Err() error { return l.err }

// SetInputDelay delays the effect of the player's inputs by so many ticks. The inputs are sent to
// other clients at once, so that they can arrive before they take effect.
func (l *Local) SetInputDelay(ticks int) { l.delay = ticks }

// InputDelay returns the delay that SetInputDelay set, in ticks.
func (l *Local) InputDelay() int { return l.delay }

// Connect makes the player connect in the next receive step of its running server. The server gets
// userData with the event.
func (l *Local) Connect(userData []byte) {
	l.wanted, l.known, l.err = true, false, nil
	l.userData = append(l.userData[:0], userData...)
}

// connect starts a connection.
func (l *Local) connect() {
	l.open, l.known, l.joined, l.since = true, true, false, l.post.Seen
	l.mail = l.post.NewInbox(l.id, nil)
	l.view.openView(l.id)
}

// disconnect ends the connection or the attempt.
func (l *Local) disconnect(why error) {
	l.wanted, l.open, l.joined, l.err = false, false, false, why
	l.post.ForgetCalls()
	l.inbox.Drop()
	l.hand.Drop()
	l.view.closeView()
	l.resources.clear()
}
