package source

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Client is a connected client.
type Client struct {
	id    entangle.ClientID
	row   int // its row of Interest
	Peer  PeerGroups
	fresh bool      // nothing has been shown to it yet
	local LocalView // the local player's view; nil for other clients
}

// PeerGroups is the part of a *sender.Peer that visibility uses to set and query the private groups
// that a client sees.
type PeerGroups interface {
	// Show makes the group of an entity visible, SetView sets the hidden part of it, and Hide
	// removes the group. Show and SetView return false if handles or views ran out.
	Show(s repl.Slot) bool
	SetView(s repl.Slot, hidden ...view.Hidden) bool
	Hide(s repl.Slot)

	// Retain keeps the group on the client as it was last sent, without the hidden part and the
	// part that was hidden before. It returns false if there is no room to record that, and the
	// group is then hidden. Retains reports whether the client retains the group.
	Retain(s repl.Slot, hidden ...view.Hidden) bool
	Retains(s repl.Slot) bool

	// Sees reports whether the group of an entity is visible, Finds whether the entity is visible
	// too, and Keeps whether the entity is visible or part of a group that the client retains.
	Sees(s repl.Slot) bool
	Finds(s repl.Slot) bool
	Keeps(s repl.Slot) bool
	// HiddenOf returns the components of an entity that its view hides.
	HiddenOf(s repl.Slot) set.Mask

	// Predict sets whether the client predicts an entity while that is visible to it.
	Predict(s repl.Slot, on bool)
}

// LocalView is the local player's view of the world of a host. Nothing is sent to that player. The
// view gets the changes that the collector would have sent.
type LocalView interface {
	// MarkStale marks entities to be evaluated again in this tick.
	MarkStale(slots []repl.Slot)
	// GroupShown reports that the view of a private group was set, and whether the group is
	// retained.
	GroupShown(c *Client, members []repl.Slot, retained bool)
	// Keeps reports whether an entity has spawned for the player and not despawned since.
	Keeps(s repl.Slot) bool
	// Observe runs at the end of each Collector.Observe.
	Observe()
	// ReadsUpdates reports whether anything reads the update events of a component.
	ReadsUpdates(comp int) bool
}

// AdmitLocal admits the player of a host. Nothing is ever sent to its peer.
func (c *Collector) AdmitLocal(id entangle.ClientID, peer *sender.Peer, view LocalView) {
	c.Admit(id, peer)
	c.Visibility.Clients[len(c.Visibility.Clients)-1].local = view
}

// Admit adds a client. The next Observe shows it the entities that are for it; nothing is sent to
// it before.
func (c *Collector) Admit(id entangle.ClientID, peer *sender.Peer) {
	c.Visibility.Clients = append(c.Visibility.Clients, Client{id: id, row: c.interest.Join(id), Peer: peer, fresh: true})
}

// Dismiss removes a client.
func (c *Collector) Dismiss(peer *sender.Peer) {
	all := c.Visibility.Clients
	for i := range all {
		if all[i].Peer == peer {
			c.interest.Leave(all[i].row)
			c.Visibility.Clients = slices.Delete(all, i, i+1)
			return
		}
	}
}

// localPlayers returns the number of players in this world.
func (v *visibility) localPlayers() (n int) {
	for i := range v.Clients {
		if v.Clients[i].local != nil {
			n++
		}
	}
	return n
}

// readsUpdates reports whether a local player reads the update events of a component.
func (v *visibility) readsUpdates(comp int) bool {
	for i := range v.Clients {
		if local := v.Clients[i].local; local != nil && local.ReadsUpdates(comp) {
			return true
		}
	}
	return false
}

// applyChanges moves stale entities to their groups and updates the views of all peers.
func (v *visibility) applyChanges() {
	v.reshapeOverridden()
	v.reshapeInterpolated()
	v.moveStale()
	for i := range v.Clients {
		if c := &v.Clients[i]; c.fresh {
			c.fresh = false
			v.showAll(c)
			v.initPredictions(c)
		}
	}
	v.showStale()
	v.updatePredictions()
	v.applyRelevance()
	v.markLocalStale()
	v.stale.clearMarks()
	v.groups.endTick()
}

// markLocalStale marks the stale entities in the views of local players.
func (v *visibility) markLocalStale() {
	for i := range v.Clients {
		local := v.Clients[i].local
		if local == nil {
			continue
		}
		local.MarkStale(v.stale.slots)
		for _, c := range v.groups.stale {
			local.MarkStale(c.members)
		}
	}
}

// moveStale moves the stale entities to the groups that they belong in.
func (v *visibility) moveStale() {
	for _, c := range v.groups.stale {
		if c.moved == c.private {
			continue
		}
		c.moved = c.private
		for _, s := range c.members {
			v.moveEntity(s)
		}
	}
	for _, s := range v.stale.slots {
		v.moveEntity(s)
	}
}

func (v *visibility) moveEntity(s repl.Slot) { v.collector.World.Move(s, v.placeOf(s)) }

// showStale updates the visibility of all stale groups for all peers.
func (v *visibility) showStale() {
	for _, c := range v.groups.stale {
		for i := range v.Clients {
			v.showGroup(&v.Clients[i], c)
		}
	}
	for _, s := range v.stale.slots {
		if at, ok := v.collector.World.PlaceOf(s); !ok || !at.Private || v.group[s] != nil {
			v.singles.Clear(int(s))
			continue
		}
		v.singles.Set(int(s))
		for i := range v.Clients {
			v.showOne(&v.Clients[i], s)
		}
	}
}

// showAll shows a new client the groups that are for it.
func (v *visibility) showAll(c *Client) {
	for _, group := range v.groups.list {
		v.showGroup(c, group)
	}
	for s := v.singles.Next(0); s >= 0; s = v.singles.Next(s + 1) {
		v.showOne(c, repl.Slot(s))
	}
}

func (v *visibility) showOne(c *Client, s repl.Slot) {
	v.scratch.one[0] = s
	v.show(c, v.scratch.one[:])
}

func (v *visibility) showGroup(c *Client, group *namedGroup) {
	if members := v.privateMembers(group); len(members) > 0 {
		v.show(c, members)
	}
}

// privateMembers returns the members of a named group that are in the private group, and then those
// beyond it, except paused ones, which keep their visibility.
func (v *visibility) privateMembers(group *namedGroup) []repl.Slot {
	v.scratch.members, v.scratch.beyond = v.scratch.members[:0], v.scratch.beyond[:0]
	for _, s := range group.members {
		switch at, ok := v.collector.World.PlaceOf(s); {
		case !ok || !at.Private:
		case !at.Alone():
			v.scratch.members = append(v.scratch.members, s)
		case !v.collector.Paused.Has(int(s)):
			v.scratch.beyond = append(v.scratch.beyond, s)
		}
	}
	v.scratch.members = append(v.scratch.members, v.scratch.beyond...)
	return v.scratch.members
}

// show sets which part of a private group a client may see, from all its members. The group is
// hidden if no member is both for the client and relevant to it, and also if there is no room to
// store the view. Paused members that the client has stay without the others, as they are. Members
// beyond a full group, at the end, are groups of their own, and are shown when the group is.
func (v *visibility) show(c *Client, members []repl.Slot) {
	most := irrelevant
	for _, s := range members {
		if v.Sees(c, s) {
			most = max(most, v.relevanceTo(c, s))
		}
	}
	n := len(members)
	for ; n > 0 && v.isAlone(members[n-1]); n-- {
		v.showGroupAs(c, members[n-1:n], most)
	}
	if n > 0 {
		v.showGroupAs(c, members[:n], most)
	}
}

// isAlone reports whether an entity is in a group of its own at the sender.
func (v *visibility) isAlone(s repl.Slot) bool {
	at, _ := v.collector.World.PlaceOf(s)
	return at.Alone()
}

// showGroupAs is show for one group of the sender, with the reason for showing it.
func (v *visibility) showGroupAs(c *Client, members []repl.Slot, most relevanceLevel) {
	v.hidden = v.hidden[:0]
	stays := false // some member, at a client that has it
	for _, s := range members {
		if !v.Sees(c, s) || most == irrelevant && !v.collector.Paused.Has(int(s)) {
			v.hidden = append(v.hidden, view.Hidden{Slot: s, Whole: true})
			continue
		}
		stays = true
		comps := v.Hides(s, c.id)
		if v.collector.Paused.Has(int(s)) {
			comps = comps.Or(c.Peer.HiddenOf(s)) // nothing more is shown of it before it resumes
		}
		if !comps.IsZero() {
			v.hidden = append(v.hidden, view.Hidden{Slot: s, Comps: comps})
		}
	}
	first := members[0]
	switch {
	case !stays:
		c.Peer.Hide(first)
	case most == retained, most == irrelevant && !c.Peer.Sees(first):
		v.hideRetained(members)
		if !c.hasGroup(first) {
			c.Peer.Hide(first)
		} else if !c.Peer.Retain(first, v.hidden...) {
			v.refuseGroup(first)
		}
	case !c.Peer.Show(first) || !c.Peer.SetView(first, v.hidden...):
		c.Peer.Hide(first)
		v.refuseGroup(first)
	}
	if c.local != nil {
		c.local.GroupShown(c, members, most == retained)
	}
}

// hasGroup reports whether a client has or retains the group of an entity. A group that was hidden
// counts as gone, even if its despawn was not sent yet.
func (c *Client) hasGroup(s repl.Slot) bool { return c.Peer.Sees(s) || c.Peer.Retains(s) }

// keepsEntity reports whether a client has or retains an entity.
func (c *Client) keepsEntity(s repl.Slot) bool {
	return c.Peer.Keeps(s) || c.local != nil && c.local.Keeps(s)
}

// hideRetained turns the hidden part of a view into the part that a client loses when it retains
// the group. That includes components that no client gets: the sender does not have them, but the
// client may still. A paused entity keeps its components until it resumes.
func (v *visibility) hideRetained(members []repl.Slot) {
	v.hidden = slices.DeleteFunc(v.hidden, func(h view.Hidden) bool { return !h.Whole && v.collector.Paused.Has(int(h.Slot)) })
	for _, s := range members {
		if off := v.Overrides.WithheldOf(s); !off.IsZero() && !v.collector.Paused.Has(int(s)) {
			v.hidden = append(v.hidden, view.Hidden{Slot: s, Comps: off})
		}
	}
}

// sweepOverrides frees overrides of dead entities and logs when sets of clients run out.
func (v *visibility) sweepOverrides() {
	v.Overrides.sweepDead(v.collector.Arche)
	if unmade := v.Targets.Refused(); unmade != v.setsRefused {
		if v.setsRefused == 0 {
			v.collector.warnings.log.Warn("a target is nobody, because all sets of clients are in use; make equal sets for entities that go to the same clients",
				"sets", components.MaxSets)
		}
		v.setsRefused = unmade
	}
}
