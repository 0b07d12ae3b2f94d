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
	row   int // its row of Interest
	Peer  Eyes
	fresh bool      // nothing has been shown to it yet
	local LocalView // the local player's view; nil for other clients
}

// Eyes is the part of a *sender.Peer that sight uses to set and query the private groups that a
// client sees.
type Eyes interface {
	// Show makes the group of an entity visible, SetView sets the hidden part of it, and Hide
	// removes the group. Show and SetView return false if handles or views ran out.
	Show(s repl.Slot) bool
	SetView(s repl.Slot, hidden ...sender.Hidden) bool
	Hide(s repl.Slot)

	// Retain keeps the group on the client as it was last sent, without the hidden part. It
	// returns false if there is no room to record that, and the group is then hidden. Retains
	// reports whether the client retains the group.
	Retain(s repl.Slot, hidden ...sender.Hidden) bool
	Retains(s repl.Slot) bool

	// Sees reports whether the group of an entity is visible, Finds whether the entity is visible
	// too, and Keeps whether the entity is visible or part of a group that the client retains.
	Sees(s repl.Slot) bool
	Finds(s repl.Slot) bool
	Keeps(s repl.Slot) bool

	// Predict sets whether the client predicts an entity while that is visible to it.
	Predict(s repl.Slot, on bool)
}

// LocalView is the local player's view of the world of a host. Nothing is sent to that player. The
// view gets the changes that the publisher would have sent.
type LocalView interface {
	// MarkStale marks entities to be evaluated again in this tick.
	MarkStale(slots []repl.Slot)
	// GroupShown reports that the view of a private group was set, and whether the group is
	// retained.
	GroupShown(c *Spectator, members []repl.Slot, retained bool)
	// Keeps reports whether an entity has spawned for the player and not despawned since.
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

// Admit adds a client. The next Observe shows it the entities that are for it; nothing is sent to
// it before.
func (p *Publisher) Admit(id entangle.ClientID, peer *sender.Peer) {
	p.Sight.Clients = append(p.Sight.Clients, Spectator{id: id, row: p.interest.Join(id), Peer: peer, fresh: true})
}

// Dismiss removes a client.
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

// settle moves stale entities to their groups and updates the views of all peers.
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

// tell marks the stale entities in the views of local players.
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

// move moves the stale entities to the groups that they belong in.
func (v *sight) move() {
	for _, c := range v.crowds.stirred {
		if c.moved == c.private {
			continue
		}
		c.moved = c.private
		for i := len(c.members) - 1; i >= 0; i-- { // a member may leave
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

// settled removes an entity from its crowd if the sender put it into a group of its own, because
// the group that it belongs in is full.
func (v *sight) settled(s repl.Slot) {
	at, ok := v.publisher.Sender.PlaceOf(s)
	if c := v.crowd[s]; c != nil && ok && at.Name|at.Family == 0 && !v.publisher.Paused.Has(int(s)) {
		c.remove(s)
		v.crowd[s] = nil
		v.stir(s)
	}
}

// reveal updates the visibility of all stale groups for all peers.
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

// welcome shows a new client the groups that are for it.
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

// inPrivate returns the members of a crowd that are in the private group.
func (v *sight) inPrivate(crowd *crowd) []repl.Slot {
	v.members = v.members[:0]
	for _, s := range crowd.members {
		if at, ok := v.publisher.Sender.PlaceOf(s); ok && at.Private {
			v.members = append(v.members, s)
		}
	}
	return v.members
}

// show sets which part of a private group a client may see, from all its members. The group is
// hidden if no member is both for the client and relevant to it, and also if there is no room to
// store the view.
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

// has reports whether a client has or retains the group of an entity. A group that was hidden
// counts as gone, even if its despawn was not sent yet.
func (c *Spectator) has(s repl.Slot) bool { return c.Peer.Sees(s) || c.Peer.Retains(s) }

// keeps reports whether a client has or retains an entity.
func (c *Spectator) keeps(s repl.Slot) bool {
	return c.Peer.Keeps(s) || c.local != nil && c.local.Keeps(s)
}

// hideRetained turns the hidden part of a view into the part that a client loses when it retains
// the group. That includes components that no client gets: the sender does not have them, but the
// client may still. A paused entity keeps its components until it resumes.
func (v *sight) hideRetained(members []repl.Slot) {
	v.hidden = slices.DeleteFunc(v.hidden, func(h sender.Hidden) bool { return !h.Whole && v.publisher.Paused.Has(int(h.Slot)) })
	for _, s := range members {
		if off := v.Overrides.OffOf(s); !off.IsZero() && !v.publisher.Paused.Has(int(s)) {
			v.hidden = append(v.hidden, sender.Hidden{Slot: s, Comps: off})
		}
	}
}

// tidy frees overrides of dead entities and logs when sets of clients run out.
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
