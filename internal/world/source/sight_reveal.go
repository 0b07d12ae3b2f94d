package source

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
)

// Spectator is a connected client.
type Spectator struct {
	id    entangle.ClientID
	row   int // of its interest
	Peer  Eyes
	fresh bool      // nothing was shown to it yet
	local LocalView // of the local player; nil for others
}

// Eyes is what sight tells of what a client may see of private groups, and asks: its
// *sender.Peer.
type Eyes interface {
	// Show lets it see the group of an entity, SetView says what of that, and Hide takes
	// the group away. What can't be shown for lack of room is false.
	Show(s repl.Slot) bool
	SetView(s repl.Slot, hidden ...sender.Hidden) bool
	Hide(s repl.Slot)

	// Retain leaves it the group as it is there, less what it may not see. What can't be said for
	// lack of room is false, and the group is hidden. Retains reports whether it is left it.
	Retain(s repl.Slot, hidden ...sender.Hidden) bool
	Retains(s repl.Slot) bool

	// Sees reports whether it is shown the group of an entity, Finds whether the entity
	// too, and Keeps whether it is shown that or was left it with a group that it retains.
	Sees(s repl.Slot) bool
	Finds(s repl.Slot) bool
	Keeps(s repl.Slot) bool

	// Predict says whether it predicts an entity while it is shown that.
	Predict(s repl.Slot, on bool)
}

// LocalView is what the player of a host sees of the world that it plays in. Nothing is
// sent to it; the view is told instead what the publisher would have sent.
type LocalView interface {
	// MarkStale has entities looked at again in this tick.
	MarkStale(slots []repl.Slot)
	// GroupShown says that the view of a private group was set, and whether the group is
	// retained.
	GroupShown(c *Spectator, members []repl.Slot, retained bool)
	// Keeps reports whether the player was told of an entity that has not gone for it since.
	Keeps(s repl.Slot) bool
	// Observe runs at the end of each Publisher.Observe.
	Observe()
	// ReadsUpdates reports whether anything reads the update events of a component.
	ReadsUpdates(comp int) bool
}

// AdmitLocal admits the player of a host, whose peer is never sent anything.
func (p *Publisher) AdmitLocal(id entangle.ClientID, peer *sender.Peer, view LocalView) {
	p.Admit(id, peer)
	p.Sight.Clients[len(p.Sight.Clients)-1].local = view
}

// Admit takes a client in: from the next Observe on it is shown what is for it, and
// nothing is sent to it before.
func (p *Publisher) Admit(id entangle.ClientID, peer *sender.Peer) {
	p.Sight.Clients = append(p.Sight.Clients, Spectator{id: id, row: p.interest.Join(id), Peer: peer, fresh: true})
}

// Dismiss lets a client go.
func (p *Publisher) Dismiss(peer *sender.Peer) {
	all := p.Sight.Clients
	for i := range all {
		if all[i].Peer == peer {
			p.interest.Leave(all[i].row)
			p.Sight.Clients = slices.Delete(all, i, i+1)
			return
		}
	}
}

// settle moves entities to where they belong and tells the peers what they may see
// now of all that was stirred.
func (v *sight) settle() {
	v.refit()
	v.move()
	for i := range v.Clients {
		if c := &v.Clients[i]; c.fresh {
			c.fresh = false
			v.welcome(c)
			v.foretellAll(c)
		}
	}
	v.reveal()
	v.foretell()
	v.attend()
	v.tell()
	for _, s := range v.stirred {
		v.noted.Clear(int(s))
		v.turned.Clear(int(s))
	}
	v.stirred = v.stirred[:0]
	v.crowds.settle()
}

// tell has those who live in this world look at what was stirred.
func (v *sight) tell() {
	for i := range v.Clients {
		local := v.Clients[i].local
		if local == nil {
			continue
		}
		local.MarkStale(v.stirred)
		for _, c := range v.crowds.stirred {
			local.MarkStale(c.members)
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
	v.publisher.Sender.Move(s, v.place(s))
	v.settled(s)
}

// settled takes note of where an entity has come: a group that is full takes in no
// more, and who comes is a group of its own.
func (v *sight) settled(s repl.Slot) {
	at, ok := v.publisher.Sender.PlaceOf(s)
	if c := v.crowd[s]; c != nil && ok && at.Name|at.Family == 0 && !v.publisher.Paused.Has(int(s)) {
		c.remove(s)
		v.crowd[s] = nil
		v.stir(s)
	}
}

// reveal tells all peers what they may see of what was stirred.
func (v *sight) reveal() {
	for _, c := range v.crowds.stirred {
		for i := range v.Clients {
			v.showCrowd(&v.Clients[i], c)
		}
	}
	for _, s := range v.stirred {
		if at, ok := v.publisher.Sender.PlaceOf(s); !ok || !at.Private || v.crowd[s] != nil {
			v.watched.Clear(int(s))
			continue
		}
		v.watched.Set(int(s))
		for i := range v.Clients {
			v.showOne(&v.Clients[i], s)
		}
	}
}

// welcome shows a client that has just come what is for it.
func (v *sight) welcome(c *Spectator) {
	for _, crowd := range v.crowds.list {
		v.showCrowd(c, crowd)
	}
	for s := v.watched.Next(0); s >= 0; s = v.watched.Next(s + 1) {
		v.showOne(c, repl.Slot(s))
	}
}

func (v *sight) showOne(c *Spectator, s repl.Slot) {
	v.one[0] = s
	v.show(c, v.one[:])
}

func (v *sight) showCrowd(c *Spectator, crowd *crowd) {
	if members := v.inPrivate(crowd); len(members) > 0 {
		v.show(c, members)
	}
}

// inPrivate returns those of a crowd that are in the private group.
func (v *sight) inPrivate(crowd *crowd) []repl.Slot {
	v.members = v.members[:0]
	for _, s := range crowd.members {
		if at, ok := v.publisher.Sender.PlaceOf(s); ok && at.Private {
			v.members = append(v.members, s)
		}
	}
	return v.members
}

// show tells a client's peer what it may see of a private group, by all its members:
// nothing, if none is for it or matters to it. Where there is no room to say what it may
// not, it sees nothing either.
func (v *sight) show(c *Spectator, members []repl.Slot) {
	v.hidden = v.hidden[:0]
	most := irrelevant
	for _, s := range members {
		if !v.Sees(c, s) {
			v.hidden = append(v.hidden, sender.Hidden{Slot: s, Whole: true})
			continue
		}
		most = max(most, v.standing(c, s))
		if comps := v.Hides(s, c.id); !comps.IsZero() {
			v.hidden = append(v.hidden, sender.Hidden{Slot: s, Comps: comps})
		}
	}
	first := members[0]
	switch {
	case most == retained && c.has(first):
		v.hideRetained(members)
		if !c.Peer.Retain(first, v.hidden...) {
			v.refuse(first)
		}
	case most != relevant:
		c.Peer.Hide(first)
	case !c.Peer.Show(first) || !c.Peer.SetView(first, v.hidden...):
		c.Peer.Hide(first)
		v.refuse(first)
	}
	if c.local != nil {
		c.local.GroupShown(c, members, most == retained)
	}
}

// has reports whether a client was left the group of an entity so far. One that was hidden
// from it stays so, though the end was not sent yet.
func (c *Spectator) has(s repl.Slot) bool { return c.Peer.Sees(s) || c.Peer.Retains(s) }

// keeps reports whether a client was left an entity so far.
func (c *Spectator) keeps(s repl.Slot) bool {
	return c.Peer.Keeps(s) || c.local != nil && c.local.Keeps(s)
}

// hideRetained makes what a view hides what a client that retains the group is to lose. That is also
// what nobody gets: the sender does not have it, but the client may have it still. Of what is paused
// components stay until it is resumed.
func (v *sight) hideRetained(members []repl.Slot) {
	v.hidden = slices.DeleteFunc(v.hidden, func(h sender.Hidden) bool { return !h.Whole && v.publisher.Paused.Has(int(h.Slot)) })
	for _, s := range members {
		if off := v.Overrides.OffOf(s); !off.IsZero() && !v.publisher.Paused.Has(int(s)) {
			v.hidden = append(v.hidden, sender.Hidden{Slot: s, Comps: off})
		}
	}
}

// tidy forgets what ended unseen, and tells of sets of clients that could not be made.
func (v *sight) tidy() {
	v.Overrides.tidy(v.publisher.Arche)
	if unmade := v.Targets.Refused(); unmade != v.unmade {
		if v.unmade == 0 {
			v.publisher.unregistered.log.Warn("a target is nobody, because all sets of clients are in use; make equal sets for entities that go to the same clients",
				"sets", components.MaxSets)
		}
		v.unmade = unmade
	}
}
