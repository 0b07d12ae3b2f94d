package systems

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
)

// send takes what the player has said in the frame: the next one hands it over.
func (l *Local) send(tick entangle.Tick) {
	if !l.open {
		l.post.ForgetCalls()
		return
	}
	for i := range l.says.out {
		said := l.says.out[i]
		if said.kind == message {
			said.ids = l.post.audienceOf(&said)
		}
		l.keep(&said, &l.says, tick)
	}
	l.says.Drop()
}

// carry keeps a letter for the player.
func (l *Local) carry(said *letter, tick entangle.Tick) { l.keep(said, &l.post.tray, tick) }

// keep puts a letter into the inbox. Who is not replicated to the player is no entity in
// it, whichever way it goes: so it would be over a network.
func (l *Local) keep(said *letter, from *tray, tick entangle.Tick) {
	l.refs = l.refs[:0]
	for _, e := range from.entities(said) {
		if !l.vista.knows(e) {
			e = ecs.Entity{}
		}
		l.refs = append(l.refs, e)
	}
	l.r.Reset(from.bodyOf(said))
	l.inbox.forward(*said, l.r, l.refs).tick = tick
}

// receive hands over what the last frame left. Whoever gets it may end the connection, and
// so drop the rest.
func (l *Local) receive() error {
	if !l.open {
		return nil
	}
	l.shelf.raise()
	l.hand, l.inbox = l.inbox, l.hand
	for i := 0; i < len(l.hand.out); i++ {
		if err := l.deliver(&l.hand.out[i]); err != nil {
			return err
		}
	}
	l.hand.Drop()
	return nil
}

// deliver hands over one letter.
func (l *Local) deliver(said *letter) error {
	m := l.mail
	m.r.Reset(l.hand.bodyOf(said))
	m.entities = m.entities[:0]
	for _, e := range l.hand.entities(said) {
		if !l.vista.lives(e) {
			e = ecs.Entity{}
		}
		m.entities = append(m.entities, e)
	}
	switch {
	case said.kind == request:
		return m.answer(said.number, said.call)
	case said.kind == response:
		return m.settle(said.number, said.call, said.failed)
	case said.player:
		return m.open(said.number, l.id, said.ids, said.tick)
	}
	l.post.stat.Received++
	head := Head{From: said.from, To: l.id, Tick: said.tick}
	return l.post.events[said.number].Receive(head, &m.r, m)
}
