package endpoint

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/mlange-42/arche/ecs"
)

// send queues the messages that the player sent in this frame for delivery in the next.
func (l *Local) send(tick entangle.Tick) {
	if !l.open {
		l.post.ForgetCalls()
		return
	}
	for i := range l.says.Out {
		said := l.says.Out[i]
		if said.Kind == message.Message {
			said.Ids = l.post.AudienceOf(&said)
		}
		l.keep(&said, &l.says, tick)
	}
	l.says.Drop()
}

// carry queues a message to the player.
func (l *Local) carry(said *message.Letter, tick entangle.Tick) { l.keep(said, &l.post.Tray, tick) }

// keep puts a message into the inbox. In both directions, references to entities that are not
// replicated to the player become zero, as they would over a network.
func (l *Local) keep(said *message.Letter, from *message.Tray, tick entangle.Tick) {
	l.refs = l.refs[:0]
	for _, e := range from.Entities(said) {
		if !l.vista.knows(e) {
			e = ecs.Entity{}
		}
		l.refs = append(l.refs, e)
	}
	l.r.Reset(from.BodyOf(said))
	l.inbox.Forward(*said, l.r, l.refs).Tick = tick
}

// receive delivers the messages and events that the last frame queued. A handler may end the
// connection, which drops the rest.
func (l *Local) receive() error {
	if !l.open {
		return nil
	}
	l.shelf.raise()
	l.hand, l.inbox = l.inbox, l.hand
	for i := 0; i < len(l.hand.Out); i++ {
		if err := l.deliver(&l.hand.Out[i]); err != nil {
			return err
		}
	}
	l.hand.Drop()
	return nil
}

// deliver delivers one message.
func (l *Local) deliver(said *message.Letter) error {
	m := l.mail
	m.R.Reset(l.hand.BodyOf(said))
	m.Entities = m.Entities[:0]
	for _, e := range l.hand.Entities(said) {
		if !l.vista.lives(e) {
			e = ecs.Entity{}
		}
		m.Entities = append(m.Entities, e)
	}
	switch {
	case said.Kind == message.Request:
		return m.Answer(said.Number, said.Call)
	case said.Kind == message.Response:
		return m.Settle(said.Number, said.Call, said.Failed)
	case said.Player:
		return m.Open(said.Number, l.id, said.Ids, said.Tick)
	}
	l.post.Stat.Received++
	head := event.Head{From: said.From, To: l.id, Tick: said.Tick}
	return l.post.Events[said.Number].Receive(head, &m.R, m)
}
