package endpoint

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/mlange-42/arche/ecs"
)

// queueSent queues the messages that the player sent in this frame for delivery in the next.
func (l *Local) queueSent(tick entangle.Tick) {
	if !l.open {
		l.post.ForgetCalls()
		return
	}
	for i := range l.says.Out {
		sent := l.says.Out[i]
		if sent.Kind == message.Message {
			sent.Ids = l.post.AudienceOf(&sent)
		}
		l.queueMessage(&sent, &l.says, tick)
	}
	l.says.Drop()
}

// carry queues a message to the player.
func (l *Local) carry(sent *message.Outgoing, tick entangle.Tick) {
	l.queueMessage(sent, &l.post.Outbox, tick)
}

// queueMessage puts a message into the inbox. In both directions, references to entities that are not
// replicated to the player become zero, as they would over a network.
func (l *Local) queueMessage(sent *message.Outgoing, from *message.Outbox, tick entangle.Tick) {
	l.refs = l.refs[:0]
	for _, e := range from.Entities(sent) {
		if !l.view.knows(e) {
			e = ecs.Entity{}
		}
		l.refs = append(l.refs, e)
	}
	l.r.Reset(from.BodyOf(sent))
	l.inbox.Forward(*sent, l.r, l.refs).Tick = tick
}

// receiveQueued delivers the messages and events that the last frame queued. A handler may end the
// connection, which drops the rest.
func (l *Local) receiveQueued() error {
	if !l.open {
		return nil
	}
	l.resources.raise()
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
func (l *Local) deliver(sent *message.Outgoing) error {
	m := l.mail
	m.R.Reset(l.hand.BodyOf(sent))
	m.Entities = m.Entities[:0]
	for _, e := range l.hand.Entities(sent) {
		if !l.view.lives(e) {
			e = ecs.Entity{}
		}
		m.Entities = append(m.Entities, e)
	}
	switch {
	case sent.Kind == message.Request:
		return m.Answer(sent.Number, sent.Call)
	case sent.Kind == message.Response:
		return m.HandleResponse(sent.Number, sent.Call, sent.Failed)
	case sent.Player:
		return m.Open(sent.Number, l.id, sent.Ids, sent.Tick)
	}
	l.post.Stat.Received++
	head := event.Head{From: sent.From, To: l.id, Tick: sent.Tick}
	return l.post.Events[sent.Number].Receive(head, &m.R, m)
}
