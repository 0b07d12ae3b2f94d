package message

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// Post dispatches a game's messages. Messages sent in a frame are kept until the world was
// observed, so that a message may refer to an entity of the same tick. Then they are addressed and
// handed to the channels.
type Post struct {
	Outbox         // the outgoing messages of this side: the player's on a client, the server's on a server
	Player *Outbox // messages of the player of this world; nil: there is none

	server        bool
	Silent        bool                         // a tick is being replayed: nothing is sent
	Playing       func() bool                  // reports whether the player of this world is connected; nil: not checked
	Connected     func(entangle.ClientID) bool // reports whether a client is connected to this server; nil: not checked
	Clients       func() int                   // the number of clients that are connected to this server
	messages      []*registry.Message
	requests      []*registry.Request
	Events        []*event.MessageEvents  // by message number
	requestStates []requestState          // by request number
	unordered     [channel.MaxID + 1]bool // by channel: its mode is unordered
	targets       *components.Targets
	collector     *source.Collector // nil on a client
	applier       *sink.Applier     // nil on a server

	Waiting waiting // on a server: the received messages of all clients that wait in queues
	wrap    []byte
	one     [1]entangle.ClientID // the result of Named
	Stat    PostStats

	tick     entangle.Tick // the last finished tick, of the messages that are sent now
	maxShown time.Duration // how long a message waits until its tick is shown
}

// PostStats counts the fates of messages.
type PostStats struct {
	Sent, Received uint64
	Waited         uint64 // messages that were held back until an entity that they refer to arrives
	Dangling       uint64 // messages that were delivered without an entity that never arrived
	Early          uint64 // messages that were delivered before their tick was shown, because too many waited, or for too long
	Relayed        uint64
	Refused        uint64 // messages that were not relayed, because too much was queued already
}

// Outgoing is an outgoing message.
type Outgoing struct {
	Kind   outgoingKind
	Player bool // the player of this world sends it
	Number int
	target components.Target
	one    entangle.ClientID // instead of target, if not Nobody
	From   entangle.ClientID // the sender of a relayed message
	Ids    audience          // the recipients of a relayed message, instead of target and one
	Call   uint32            // the number of a request, or of the request that a response answers
	Failed bool              // a response that is the text of an error
	body   int               // where its bytes begin in heap
	width  int               // the length of its body in bits
	refs   int               // where its references begin
	nrefs  int
	When   uint64        // its sequence number among all messages
	Tick   entangle.Tick // the tick in which a player of this world sent or received it
}

type outgoingKind uint8

const (
	Message outgoingKind = iota
	Request
	Response
)

// NewPost returns the post of a server, or of a client.
func NewPost(p *protocol.Protocol, server bool) *Post {
	post := &Post{
		server: server, messages: registry.Of(p).Messages, requests: registry.Of(p).Requests, Clients: func() int { return 0 },
		Events: make([]*event.MessageEvents, len(registry.Of(p).Messages)), requestStates: make([]requestState, len(registry.Of(p).Requests)),
	}
	post.maxShown = maxShownTicks * time.Second / time.Duration(registry.Of(p).TickRate)
	if !server {
		post.Player = &post.Outbox
	}
	for _, info := range post.messages {
		post.unordered[messageChannel(info)] = !keepsOrder(channel.Mode(info.Mode))
	}
	return post
}

// Attach connects the post to a world. A server passes its collector and a client its applier, which
// translate entities to network ids and back.
func (p *Post) Attach(w *ecs.World, hub *event.Hub, collector *source.Collector, applier *sink.Applier) {
	for i, info := range p.messages {
		p.Events[i] = hub.AddMessage(info.Plan)
	}
	for i, info := range p.requests {
		p.requestStates[i].answers = hub.AddRequest(info.Question, info.Answer)
	}
	p.targets = source.TargetsOf(w)
	p.targets.HeldBy(p.held)
	p.collector, p.applier = collector, applier
}

// Message returns the number of a message type, and its wire format.
func (p *Post) Message(t reflect.Type) (number int, plan *wire.Plan, ok bool) {
	for i, info := range p.messages {
		if info.Type == t {
			return i, info.Plan, true
		}
	}
	return 0, nil, false
}

// RequestOf returns the number of a kind of request, and the wire formats of the request and the
// response.
func (p *Post) RequestOf(question, answer reflect.Type) (number int, q, a *wire.Plan, ok bool) {
	for i, info := range p.requests {
		if info.Question.Type() == question && info.Answer.Type() == answer {
			return i, info.Question, info.Answer, true
		}
	}
	return 0, nil, nil, false
}

// Silence marks the start of replayed ticks, and with false their end. Messages are not sent again in
// a replay.
func (p *Post) Silence(on bool) { p.Silent = on }

// Stats returns the counters.
func (p *Post) Stats() PostStats { return p.Stat }

// Errors of sending while there is no connection to the recipient.
var (
	// ErrNotConnected: a player sends without a connection. The message is not kept.
	ErrNotConnected = errors.New("plugin: nothing was sent: the client is not connected; send once State is Connected, " +
		"or from when ClientConnected was read")
	// ErrNoSuchClient: a server sends to a client that is not connected. The message is not kept.
	ErrNoSuchClient = errors.New("plugin: nothing was sent: no client with that id is connected")
)

// Errors of sending that are mistakes of the caller.
var (
	// ErrDirection: only the other side may send messages of that type.
	ErrDirection = errors.New("plugin: this side may not send that message: its Direction in the protocol goes the other way")
	// ErrNotRelayed: a client addresses other clients with a message of a type without Relay.
	ErrNotRelayed = errors.New("plugin: a message reaches other clients only if its type is registered with Relay; send it to components.Server, or register it with .Relay()")
	// ErrToServer: a server sends a message to the server.
	ErrToServer = errors.New("plugin: nothing was sent: components.Server is for messages of players; a server sends to " +
		"components.Everyone, to a set of clients or to one, and on a Host a player sends to it by AsPlayer")
	// ErrTooMany: a client's message names more clients than a server accepts.
	ErrTooMany = fmt.Errorf("plugin: a client's message may name %d clients; send to components.Everyone, "+
		"or to components.Server, which can send it on itself", maxAudience)
)

// Send queues a message. encode writes its body; entities in it go through refs. In the world of a
// host, a message that only the server can send is the server's; a message that only clients may
// send, or that is addressed to the server, is the player's.
func (p *Post) Send(number int, target components.Target, one entangle.ClientID, encode func(*bits.Writer, wire.RefWriter) error) error {
	return p.queueMessage(Outgoing{Number: number, target: target, one: one, Player: p.Player != nil && p.plays(number, target, one)}, encode)
}

// Say is Send for the player of this world.
func (p *Post) Say(number int, target components.Target, one entangle.ClientID, encode func(*bits.Writer, wire.RefWriter) error) error {
	return p.queueMessage(Outgoing{Number: number, target: target, one: one, Player: true}, encode)
}

// Plays reports whether this world has a player.
func (p *Post) Plays() bool { return p.Player != nil }

// plays reports whether the player of this world is the sender.
func (p *Post) plays(number int, target components.Target, one entangle.ClientID) bool {
	switch d := p.messages[number].Direction; {
	case !p.server || d == registry.ClientToServer:
		return true
	default:
		return d == registry.Bidirectional && target == components.Server && one == entangle.Nobody
	}
}

func (p *Post) queueMessage(l Outgoing, encode func(*bits.Writer, wire.RefWriter) error) error {
	info := p.messages[l.Number]
	if !info.Direction.SentBy(!l.Player) {
		return fmt.Errorf("%w: %v", ErrDirection, info.Type)
	}
	toOthers := l.one != entangle.Nobody || l.target != components.Default && l.target != components.Server
	if l.Player && toOthers && !info.Relay {
		return fmt.Errorf("%w: %v", ErrNotRelayed, info.Type)
	}
	if !l.Player && l.one == entangle.Nobody && l.target == components.Server {
		return fmt.Errorf("%w: %v", ErrToServer, info.Type)
	}
	if err := p.bounds(&l); err != nil || p.Silent {
		return err
	}
	if err := p.reaches(&l); err != nil {
		return err
	}
	return p.queue(l, encode)
}

// reaches returns an error for a message that is certain to be lost.
func (p *Post) reaches(l *Outgoing) error {
	switch {
	case l.Player && !p.joined():
		return ErrNotConnected
	case !l.Player && l.one != entangle.Nobody && p.Connected != nil && !p.Connected(l.one):
		return fmt.Errorf("%w: %d", ErrNoSuchClient, l.one)
	}
	return nil
}

// joined reports whether the player of this world is connected.
func (p *Post) joined() bool { return p.Playing == nil || p.Playing() }

func (p *Post) queue(l Outgoing, encode func(*bits.Writer, wire.RefWriter) error) error {
	to := &p.Outbox
	if l.Player {
		to = p.Player
	}
	err := to.encodeMessage(l, p.longest(&l), encode)
	if err == nil {
		p.Stat.Sent++
	}
	return err
}

// envelopeRoom is the size of the header before a body, without the entities: the type, and the
// longest audience.
const envelopeRoom = 16 + 8*maxAudience

// refRoom is the most bytes that one entity occupies in the table.
const refRoom = 7

// size returns an upper bound on a message's bytes on the wire.
func (l *Outgoing) size() int { return envelopeRoom + refRoom*l.nrefs + (l.width+7)/8 }

// longest returns the size of the longest message that a message's channel carries.
func (p *Post) longest(l *Outgoing) int {
	if l.Kind == Message && !channel.Mode(p.messages[l.Number].Mode).Reliable() {
		return channel.MaxUnreliableMessage
	}
	return channel.MaxMessage
}

// Flush hands all queued messages to the carrier, for their recipients. tick is the last finished tick.
func (p *Post) Flush(tick entangle.Tick, now time.Time, to Carrier) {
	p.tick = tick
	for i := range p.Out {
		to.Carry(&p.Out[i], now)
	}
	p.Drop()
}

// Carrier hands a message to its recipients.
type Carrier interface {
	Carry(l *Outgoing, now time.Time)
}

// Named returns the clients that a message is for, if it names each of them: some may not be
// connected, and some may be named twice. If ok is false, the recipients are those that For
// accepts. ids is valid until the next call.
func (p *Post) Named(l *Outgoing) (ids []entangle.ClientID, ok bool) {
	switch {
	case l.From != entangle.Nobody:
		return l.Ids.ids, !l.Ids.except
	case l.one != entangle.Nobody:
		p.one[0] = l.one
		return p.one[:], true
	}
	return nil, false
}

// For reports whether a client is a recipient of a message.
func (p *Post) For(l *Outgoing, id entangle.ClientID) bool {
	switch {
	case l.From != entangle.Nobody:
		return l.Ids.contains(id)
	case l.one != entangle.Nobody:
		return l.one == id
	}
	return p.targets.Contains(l.target, id)
}
