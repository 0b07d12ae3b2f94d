package systems

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
)

// spectator is a connected client.
type spectator struct {
	id    entangle.ClientID
	peer  *sender.Peer
	fresh bool // nothing was shown to it yet
}

// Admit takes a client in: from the next Observe on it is shown what is for it, and
// nothing is sent to it before.
func (p *Publisher) Admit(id entangle.ClientID, peer *sender.Peer) {
	p.sight.clients = append(p.sight.clients, spectator{id: id, peer: peer, fresh: true})
}

// Dismiss lets a client go.
func (p *Publisher) Dismiss(peer *sender.Peer) {
	all := p.sight.clients
	for i := range all {
		if all[i].peer == peer {
			p.sight.clients = append(all[:i], all[i+1:]...)
			return
		}
	}
}

// settle moves entities to where they belong and tells the peers what they may see
// now of all that was stirred.
func (v *sight) settle() {
	v.refit()
	v.move()
	for i := range v.clients {
		if c := &v.clients[i]; c.fresh {
			c.fresh = false
			v.welcome(c)
		}
	}
	v.reveal()
	v.tell()
	for _, s := range v.stirred {
		v.noted.Clear(int(s))
	}
	v.stirred = v.stirred[:0]
	v.crowds.settle()
}

// tell has those who live in this world look at what was stirred.
func (v *sight) tell() {
	for _, who := range v.publisher.vistas {
		for _, s := range v.stirred {
			who.note(s)
		}
		for _, c := range v.crowds.stirred {
			for _, s := range c.members {
				who.note(s)
			}
		}
	}
}

// move takes what was stirred over to the groups that it belongs in.
func (v *sight) move() {
	for _, c := range v.crowds.stirred {
		if c.moved == c.private {
			continue
		}
		c.moved = c.private
		for i := len(c.members) - 1; i >= 0; i-- { // one of them may leave
			v.moveTo(c.members[i])
		}
	}
	for _, s := range v.stirred {
		v.moveTo(s)
	}
}

func (v *sight) moveTo(s repl.Slot) {
	v.publisher.world.Move(s, v.place(s))
	v.settled(s)
}

// settled takes note of where an entity has come: a group that is full takes in no
// more, and who comes is a group of its own.
func (v *sight) settled(s repl.Slot) {
	at, ok := v.publisher.world.PlaceOf(s)
	if c := v.crowd[s]; c != nil && ok && at.Name|at.Family == 0 && !v.publisher.paused.Has(int(s)) {
		c.remove(s)
		v.crowd[s] = nil
		v.stir(s)
	}
}

// reveal tells all peers what they may see of what was stirred.
func (v *sight) reveal() {
	for _, c := range v.crowds.stirred {
		for i := range v.clients {
			v.showCrowd(&v.clients[i], c)
		}
	}
	for _, s := range v.stirred {
		if at, ok := v.publisher.world.PlaceOf(s); !ok || !at.Private || v.crowd[s] != nil {
			v.watched.Clear(int(s))
			continue
		}
		v.watched.Set(int(s))
		for i := range v.clients {
			v.showOne(&v.clients[i], s)
		}
	}
}

// welcome shows a client that has just come what is for it.
func (v *sight) welcome(c *spectator) {
	for _, crowd := range v.crowds.list {
		v.showCrowd(c, crowd)
	}
	for s := v.watched.Next(0); s >= 0; s = v.watched.Next(s + 1) {
		v.showOne(c, repl.Slot(s))
	}
}

func (v *sight) showOne(c *spectator, s repl.Slot) {
	v.one[0] = s
	v.show(c, v.one[:])
}

// showCrowd shows a client what of a crowd is in the private group.
func (v *sight) showCrowd(c *spectator, crowd *crowd) {
	v.members = v.members[:0]
	for _, s := range crowd.members {
		if at, ok := v.publisher.world.PlaceOf(s); ok && at.Private {
			v.members = append(v.members, s)
		}
	}
	if len(v.members) > 0 {
		v.show(c, v.members)
	}
}

// show tells a client's peer what it may see of a private group, by all its members.
// Where there is no room to say what it may not, it sees nothing.
func (v *sight) show(c *spectator, members []repl.Slot) {
	v.hidden = v.hidden[:0]
	some := false
	for _, s := range members {
		if !v.effective(s, c.id) {
			v.hidden = append(v.hidden, sender.Hidden{Slot: s, Whole: true})
			continue
		}
		some = true
		if comps := v.hides(s, c.id); !comps.IsZero() {
			v.hidden = append(v.hidden, sender.Hidden{Slot: s, Comps: comps})
		}
	}
	first := members[0]
	if !some {
		c.peer.Hide(first)
		return
	}
	if !c.peer.Show(first) || !c.peer.SetView(first, v.hidden...) {
		c.peer.Hide(first)
		v.refuse()
	}
}

// refuse counts what a client does not get though it is for it.
func (v *sight) refuse() {
	if v.refused++; v.refused == 1 {
		v.publisher.unregistered.log.Warn("an entity is not shown to a client that it is for, because too many groups or too many different views of them are in use; " +
			"give entities that the same clients see one group")
	}
}

// tidy forgets what ended unseen, and tells of sets of clients that could not be made.
func (v *sight) tidy() {
	v.overrides.tidy(v.publisher.arche)
	if unmade := v.targets.Refused(); unmade != v.unmade {
		if v.unmade == 0 {
			v.publisher.unregistered.log.Warn("a target is nobody, because all sets of clients are in use; make equal sets for entities that go to the same clients",
				"sets", components.MaxSets)
		}
		v.unmade = unmade
	}
}
