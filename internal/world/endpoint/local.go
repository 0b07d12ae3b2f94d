package endpoint

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// Local is the local player of a host: a connection without a network.
//
// To the server it is a client like the others. What the two say to each other in a frame
// is handed over when the next one receives, decoded anew from its bytes, as if it had come
// over a network without delay; and so are the events of what the player is shown. Its
// entities are the server's own.
type Local struct {
	id       entangle.ClientID
	userData []byte
	post     *message.Post
	mail     *message.Mailbox // the server's, of what the player says
	vista    vista
	shelf    localShelf

	wanted bool // it is on its way, or connected
	known  bool // it is connected, or was before it wanted to connect again
	open   bool
	joined bool
	since  uint64 // the first letter that can be for it
	delay  int    // of its inputs, in ticks
	reason string // why it is not connected any more

	says  message.Tray // what the player has said in this frame
	inbox message.Tray // what the next frame hands over, for both
	hand  message.Tray // what this frame hands over

	r    bits.Reader
	refs []ecs.Entity // scratch
}

// NewLocal returns a player who is not connected. Whoever has the post speaks for it.
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

// Known reports whether the player is connected, or was last.
func (l *Local) Known() bool { return l.known }

// Joined reports whether the player was told of all that was there for it when it
// connected.
func (l *Local) Joined() bool { return l.joined }

// Reason returns why the last connection ended, "" before there was one and while one
// goes on.
func (l *Local) Reason() string { return l.reason }

// SetInputDelay has what the player does act so many ticks later. The others are told of it
// at once, so that it can be there when it acts.
func (l *Local) SetInputDelay(ticks int) { l.delay = ticks }

// InputDelay returns what SetInputDelay set.
func (l *Local) InputDelay() int { return l.delay }

// Connect has the player connect when the server that it is housed in receives next, once
// that runs. userData is what the server gets with the event.
func (l *Local) Connect(userData []byte) {
	l.wanted, l.known, l.reason = true, false, ""
	l.userData = append(l.userData[:0], userData...)
}

// enter begins a connection.
func (l *Local) enter() {
	l.open, l.known, l.joined, l.since = true, true, false, l.post.Seen
	l.mail = l.post.Mailbox(l.id, nil)
	l.vista.enter(l.id)
}

// leave ends the connection, or the way to it.
func (l *Local) leave(reason string) {
	l.wanted, l.open, l.joined, l.reason = false, false, false, reason
	l.post.ForgetCalls()
	l.inbox.Drop()
	l.hand.Drop()
	l.vista.leave()
	l.shelf.clear()
}
