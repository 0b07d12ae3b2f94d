package protocol

import (
	"reflect"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
)

// Limits of text, []byte and slices in messages, requests and resources.
const (
	// DefaultMaxText is the greatest length in bytes of a string or []byte without a max= tag.
	DefaultMaxText = wire.DefaultMaxText
	// DefaultMaxElements is the greatest number of elements of any other slice without a max= tag.
	DefaultMaxElements = wire.DefaultMaxElements
)

// MessageRule has methods that set the options of a message.
type MessageRule[T any] struct{ def *messageRule }

type messageRule struct {
	rule
	info  registry.Message
	via   Channel
	codec *wire.Codec
}

// Message registers T as a message. T may hold numbers, text, slices, arrays and structs of them,
// and entities; other types need a Codec.
func Message[T any](p *Protocol) *MessageRule[T] {
	t := reflect.TypeFor[T]()
	def := &messageRule{rule: newRule(p, registry.KindMessage, t), info: registry.Message{Name: wire.TypeName(t), Type: t, Priority: 1}}
	if !def.off {
		p.messages = append(p.messages, def)
	}
	return &MessageRule[T]{def}
}

// Mode makes the message use the default channel of a mode. The default is OrderedReliable.
func (r *MessageRule[T]) Mode(m Mode) *MessageRule[T] {
	if r.def.option("Mode") {
		r.def.info.Mode = registry.Mode(m)
	}
	return r
}

// Via makes the message use a channel of the game.
func (r *MessageRule[T]) Via(c Channel) *MessageRule[T] {
	if r.def.option("Via") {
		r.def.via = c
	}
	return r
}

// Direction sets which side may send the message. The default is that of the channel, which is
// Bidirectional unless it was set.
func (r *MessageRule[T]) Direction(d Direction) *MessageRule[T] {
	if r.def.option("Direction") {
		r.def.info.Direction = registry.Direction(d)
	}
	return r
}

// Priority sets how often the message is sent under a byte cap, relative to other messages of its
// channel: twice as often with 10 as with 5. It is multiplied by the priority of the channel. It
// must be above 0 and at most 1e9, and need not be the same on both sides. The default is 1.
func (r *MessageRule[T]) Priority(p float32) *MessageRule[T] {
	if r.def.option("Priority") {
		r.def.info.Priority = p
	}
	return r
}

// Relay lets a client send the message to other clients through the server, which gets it too.
// components.Everyone includes the client that sends it.
func (r *MessageRule[T]) Relay() *MessageRule[T] {
	if r.def.option("Relay") {
		r.def.info.Relay = true
	}
	return r
}

// WhenShown makes a client deliver the message when it shows interpolated entities as of the tick
// that the server sent the message in, and not as it arrives: an explosion is heard when it is seen.
// A message with entities waits until all of them are shown as of that tick. A message that arrives
// later than that, or refers to entities of which none is interpolated, is delivered at once, and so
// is every message on a server, for a Host's own player, and while nothing is interpolated. It waits
// for 512 ticks at most.
//
// On an ordered or sequenced channel, later messages of all types wait behind it: give the type a
// channel of its own, or the mode UnorderedReliable, if others must not. It costs 2 bytes.
func (r *MessageRule[T]) WhenShown() *MessageRule[T] {
	if r.def.option("WhenShown") {
		r.def.info.WhenShown = true
	}
	return r
}

// Codec replaces the built-in encoding of T. A T with entity fields needs a
// RefCodec.
func (r *MessageRule[T]) Codec(c Codec[T]) *MessageRule[T] {
	setCodec(&r.def.rule, "Codec", c, &r.def.codec)
	return r
}

func (r *messageRule) finish(number int) {
	i := &r.info
	i.Number = number
	i.Plan = r.p.plan(r.subject, i.Type, true, r.codec)
	fallback := registry.Bidirectional
	if r.given["Via"] {
		i.Channel = r.via.info
		if i.Channel == nil || r.via.p != r.p {
			i.Channel = nil
			r.unfit("Via takes a channel that Channel of this protocol returned")
		} else {
			i.Mode, fallback = i.Channel.Mode, i.Channel.Direction
		}
	}
	if !r.given["Direction"] {
		i.Direction = fallback
	}
	r.check(fallback)
}

func (r *messageRule) check(channel registry.Direction) {
	i := &r.info
	switch {
	case r.given["Mode"] && r.given["Via"]:
		r.unfit("Mode and Via both choose a channel: keep one")
	case !i.Mode.Valid():
		r.unfit("Mode(%d) is none of the five modes", i.Mode)
	case !i.Direction.Valid():
		r.unfit("Direction(%d) is none of ServerToClient, ClientToServer and Bidirectional", i.Direction)
	case !i.Direction.Within(channel):
		r.unfit("the message is %v, its channel only %v: make the channel wider or the message narrower", i.Direction, channel)
	case !validPriority(i.Priority):
		r.unfit("Priority(%v) must be a number above 0 and at most 1e9", i.Priority)
	case i.Relay && i.Direction != registry.Bidirectional:
		r.unfit("Relay goes from a client to the server and on to clients, so the message must be Bidirectional, not %v", i.Direction)
	case i.WhenShown && i.Direction == registry.ClientToServer:
		r.unfit("WhenShown is for messages that a client receives, and the message is ClientToServer: remove one")
	}
}
