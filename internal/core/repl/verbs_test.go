package repl_test

import (
	"maps"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// The changes that may happen to the model, and with it to the sender's world.

// place returns a random place: a group of its own, one of three public groups, or a private one.
func (n *network) place() group.Place {
	return []group.Place{{}, {Name: 1}, {Name: 2}, {Name: 3}, {Name: 4, Private: true}, {Private: true}}[n.rng.IntN(6)]
}

// spawn uses the lowest free slot, so that slots and handles are reused.
func (n *network) spawn() { n.spawnAt(n.place()) }

func (n *network) spawnAt(place group.Place) repl.Slot {
	slot := repl.Slot(0)
	for _, taken := n.model.entities[slot]; taken; _, taken = n.model.entities[slot] {
		slot++
	}
	n.model.names++
	e := entity{mask: set.MaskOf(0)}
	e.values[0] = uint32(slot) | n.model.names<<16
	for c := 1; c < n.model.comps; c++ {
		if n.rng.IntN(2) == 0 {
			n.fill(&e, c)
		}
	}
	n.put(slot, e, place)
	n.look(slot)
	return slot
}

// put spawns an entity with the given state.
func (n *network) put(slot repl.Slot, e entity, place group.Place) {
	n.model.entities[slot], n.model.places[slot] = e, place
	n.model.changed[slot], n.model.came[slot] = n.allNow(), n.tick
	n.model.private[e.name()] = place.Private
	n.world.SpawnAt(slot, e.mask, place)
}

func (n *network) fill(e *entity, comp int) {
	e.mask.Set(comp)
	if width(comp) > 0 {
		e.values[comp] = n.value(comp)
	}
}

func (n *network) value(comp int) uint32 {
	if n.model.links && comp == linkComp {
		return uint32(n.rng.IntN(30))
	}
	return n.rng.Uint32()
}

func (n *network) despawn(slot repl.Slot) {
	n.drop(slot)
	n.world.Despawn(slot)
}

func (n *network) abandon(slot repl.Slot) {
	n.drop(slot)
	n.world.Abandon(slot)
}

// drop removes an entity from the model.
func (n *network) drop(slot repl.Slot) {
	key := n.key(slot)
	n.unhide(key, slot)
	delete(n.model.entities, slot)
	delete(n.model.places, slot)
	delete(n.model.paused, slot)
	n.left(key)
}

// unhide removes what peers may not see of a member of a group.
func (n *network) unhide(key groupKey, slot repl.Slot) {
	for _, e := range n.peers {
		if view, ok := e.eyes.views[key]; ok {
			view = maps.Clone(view)
			delete(view, slot)
			e.eyes.views[key] = view
		}
	}
}

// left removes what peers may see and predict of a group, if its last member has left.
func (n *network) left(key groupKey) {
	if len(n.membersOf(key)) > 0 {
		return
	}
	for _, e := range n.peers {
		e.eyes.forget(key)
	}
}

// membersOf returns the slots of a group in rising order.
func (n *network) membersOf(key groupKey) (all []repl.Slot) {
	for slot := range repl.Slot(64) {
		if _, lives := n.model.entities[slot]; lives && n.key(slot) == key {
			all = append(all, slot)
		}
	}
	return all
}

// move moves an entity to another group. A paused one stays.
func (n *network) move(slot repl.Slot) { n.moveTo(slot, n.place()) }

func (n *network) moveTo(slot repl.Slot, to group.Place) {
	n.world.Move(slot, to)
	if n.model.paused[slot] || n.model.places[slot] == to {
		return
	}
	key := n.key(slot)
	n.unhide(key, slot)
	n.model.places[slot], n.model.came[slot] = to, n.tick
	if is := n.model.entities[slot]; n.model.private[is.name()] {
		n.reached.movedPrivate++
	}
	n.left(key)
}

// swap makes two entities change places in one tick.
func (n *network) swap(slot repl.Slot) {
	for other := range repl.Slot(64) {
		at, there := n.model.places[other]
		if here := n.model.places[slot]; there && at != here && other%3 == slot%3 {
			n.moveTo(slot, at)
			n.moveTo(other, here)
			return
		}
	}
}

// look shows the group of an entity to some peers, hides it from others, and makes others retain
// it.
func (n *network) look(slot repl.Slot) {
	for _, e := range n.peers {
		switch n.rng.IntN(5) {
		case 0, 1:
			n.show(e, slot)
		case 2, 3:
			n.hide(e, slot)
		default:
			n.retainSome(e, slot)
		}
	}
}

// show shows a whole group.
func (n *network) show(e *end, slot repl.Slot) {
	require.True(n.t, e.peer.Show(slot))
	key := n.key(slot)
	if !key.place.Private || e.eyes.shown[key] {
		return
	}
	e.eyes.shown[key] = true
	if e.eyes.retained[key] != nil {
		n.reached.shownAfter++
	}
	if e.eyes.retained[key] != nil && n.rng.IntN(2) == 0 {
		n.setView(e, slot, e.eyes.views[key])
	} else {
		require.True(n.t, e.peer.SetView(slot))
		delete(e.eyes.views, key)
	}
	delete(e.eyes.retained, key)
}

// retain makes a peer retain a group.
func (n *network) retain(e *end, slot repl.Slot) { n.retainWithout(e, slot, nil) }

// retainSome makes a peer retain a group, in full or without some parts, unless it is hidden from
// the peer.
func (n *network) retainSome(e *end, slot repl.Slot) {
	if key := n.key(slot); !e.eyes.sees(key) && e.eyes.retained[key] == nil {
		return
	}
	if n.rng.IntN(3) == 0 {
		n.retainWithout(e, slot, n.someHidden(n.key(slot)))
	} else {
		n.retain(e, slot)
	}
}

// retainWithout makes a peer retain a group without further hidden parts.
func (n *network) retainWithout(e *end, slot repl.Slot, less map[repl.Slot]view.Hidden) {
	key := n.key(slot)
	was, view := e.eyes.retained[key] != nil, hideBoth(e.eyes.views[key], less)
	require.True(n.t, e.peer.Retain(slot, n.listed(key, view)...))
	if !key.place.Private {
		return
	}
	if !e.peer.Retains(slot) { // the group was never sent
		e.eyes.forget(key)
		return
	}
	delete(e.eyes.shown, key)
	e.eyes.views[key] = view
	if !was {
		n.reached.retained++
		e.eyes.retained[key] = n.toldOf(e, slot)
	}
	e.eyes.retained[key] = maps.Clone(e.eyes.retained[key])
	for s, h := range view {
		if is := n.model.entities[s]; h.Whole {
			delete(e.eyes.retained[key], is.name())
		}
	}
}

// toldOf returns the members of a group that a peer was sent.
func (n *network) toldOf(e *end, slot repl.Slot) kept {
	key := n.key(slot)
	h, _ := e.peer.Group(slot)
	all := kept{}
	l := e.oracle.lives[h]
	if l == nil { // the oracle is not running
		l = &life{}
	}
	for _, m := range l.members {
		if came := n.model.came[m.slot]; n.stand(m.slot) == m && n.key(m.slot) == key && !l.action.Before(came) {
			all[m.name] = came
		}
	}
	return all
}

// hideBoth returns what either of two views hides.
func hideBoth(a, b map[repl.Slot]view.Hidden) map[repl.Slot]view.Hidden {
	all := maps.Clone(a)
	if all == nil {
		all = map[repl.Slot]view.Hidden{}
	}
	for s, h := range b {
		all[s] = view.Hidden{Slot: s, Whole: h.Whole || all[s].Whole, Comps: h.Comps.Or(all[s].Comps)}
	}
	return all
}

// showRetained shows all groups again that a peer retains.
func (n *network) showRetained() {
	for slot := range repl.Slot(64) {
		for _, e := range n.peers {
			if e.peer.Retains(slot) {
				n.show(e, slot)
			}
		}
	}
}

func (n *network) hide(e *end, slot repl.Slot) {
	e.peer.Hide(slot)
	if key := n.key(slot); key.place.Private {
		e.eyes.forget(key)
	}
}

// changeView hides parts of a group from one peer that sees it, or shows it in full.
func (n *network) changeView(slot repl.Slot) {
	key := n.key(slot)
	e := n.peers[n.rng.IntN(len(n.peers))]
	if !e.eyes.sees(key) && e.eyes.retained[key] == nil {
		return
	}
	view := n.someHidden(key)
	if n.rng.IntN(3) == 0 {
		clear(view)
	}
	if e.eyes.retained[key] != nil {
		n.retainWithout(e, slot, view)
		return
	}
	n.setView(e, slot, view)
}

// someHidden draws the parts of a group that a view hides.
func (n *network) someHidden(key groupKey) map[repl.Slot]view.Hidden {
	hides := map[repl.Slot]view.Hidden{}
	for _, s := range append(n.membersOf(key), repl.Slot(n.rng.IntN(40))) {
		switch n.rng.IntN(6) {
		case 0:
			hides[s] = view.Hidden{Slot: s, Whole: true}
		case 1, 2:
			h := view.Hidden{Slot: s}
			for c := 1; c < n.model.comps; c++ {
				if n.rng.IntN(2) == 0 {
					h.Comps.Set(c)
				}
			}
			hides[s] = h
		}
	}
	return hides
}

func (n *network) setView(e *end, slot repl.Slot, hides map[repl.Slot]view.Hidden) {
	key := n.key(slot)
	hides = maps.Clone(hides)
	require.True(n.t, e.peer.SetView(slot, n.listed(key, hides)...))
	e.eyes.views[key] = hides
}

// listed lists the parts that a view hides, and removes those that have no effect.
func (n *network) listed(key groupKey, hides map[repl.Slot]view.Hidden) (hidden []view.Hidden) {
	for s, h := range hides {
		hidden = append(hidden, h)
		if _, lives := n.model.entities[s]; !lives || n.key(s) != key {
			delete(hides, s)
		}
	}
	return hidden
}

// predict makes one peer predict an entity, or not any more, whether it sees the entity or not.
func (n *network) predict(slot repl.Slot) {
	e, on := n.peers[n.rng.IntN(len(n.peers))], n.rng.IntN(3) > 0
	n.foresee(e, slot, on)
	if n.rng.IntN(2) > 0 { // and all other members of its group
		for _, s := range n.membersOf(n.key(slot)) {
			n.foresee(e, s, on)
		}
	}
}

func (n *network) foresee(e *end, slot repl.Slot, on bool) {
	is := n.model.entities[slot]
	if delete(e.eyes.predicts, is.name()); on {
		e.eyes.predicts[is.name()] = true
	}
	e.peer.Predict(slot, on)
}

// rate sets how often the group of an entity is sent, and how urgent it is.
func (n *network) rate(slot repl.Slot) {
	n.world.SetRate(slot, group.Rate{
		Every:    []uint16{0, 1, 2, 3, 7}[n.rng.IntN(5)],
		Priority: []float32{0, 1, 2, 5, 10}[n.rng.IntN(5)],
		MaxAge:   []uint16{0, 0, 1, 4, 20}[n.rng.IntN(5)],
	})
}

// pause pauses an entity, unless it is in transit between groups.
func (n *network) pause(slot repl.Slot) {
	for _, e := range n.peers {
		if !e.oracle.told(n.stand(slot), e.handles[n.tick-1][n.key(slot)], n.model.came[slot]) {
			return
		}
	}
	n.model.paused[slot], n.model.frozen[slot] = true, n.model.entities[slot]
	n.world.Pause(slot)
}

func (n *network) resume(slot repl.Slot) {
	delete(n.model.paused, slot)
	n.world.Resume(slot)
}

func (n *network) resumeAll() {
	for _, slot := range slices.Sorted(maps.Keys(n.model.paused)) {
		n.resume(slot)
	}
}

func (n *network) reshape(slot repl.Slot, e entity) {
	if n.model.paused[slot] {
		return // its despawn is sent when it resumes
	}
	c := 1 + n.rng.IntN(n.model.comps-1)
	if e.mask.Has(c) {
		e.mask.Clear(c)
		e.values[c] = 0
		n.world.Reshape(slot, set.Mask{}, set.MaskOf(c))
	} else {
		n.fill(&e, c)
		n.world.Reshape(slot, set.MaskOf(c), set.Mask{})
	}
	n.model.changed[slot][c] = n.world.Tick()
	n.model.entities[slot] = e
}

func (n *network) write(slot repl.Slot, e entity) {
	for c := e.mask.Next(1); c >= 0; c = e.mask.Next(c + 1) {
		if width(c) > 0 && n.rng.IntN(2) == 0 {
			n.set(slot, c, n.value(c))
		}
	}
}

// set writes one value.
func (n *network) set(slot repl.Slot, comp int, value uint32) {
	e := n.model.entities[slot]
	e.values[comp] = value
	n.model.entities[slot] = e
	n.model.changed[slot][comp] = n.world.Tick()
	n.world.Change(comp, []repl.Slot{slot})
}

// allNow returns change times by which all components changed in this tick.
func (n *network) allNow() *[20]entangle.Tick {
	var all [20]entangle.Tick
	for c := range all {
		all[c] = n.world.Tick()
	}
	return &all
}
