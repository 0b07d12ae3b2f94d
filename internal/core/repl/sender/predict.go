package sender

import (
	"cmp"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// foresight is which peers predict which entities. It costs nothing until one does, and then
// for those.
type foresight struct {
	slots repl.Bitset               // entities that any peer predicts
	peers map[repl.Slot]repl.Bitset // by number
	spare []repl.Bitset
}

func (f *foresight) predicts(s repl.Slot, seat uint16) bool {
	return f.slots.Has(int(s)) && f.peers[s].Has(int(seat))
}

// addPeer notes that a peer predicts an entity.
func (f *foresight) addPeer(s repl.Slot, seat uint16) {
	if f.peers == nil {
		f.peers = map[repl.Slot]repl.Bitset{}
	}
	peers, ok := f.peers[s]
	if n := len(f.spare); !ok && n > 0 {
		peers, f.spare = f.spare[n-1], f.spare[:n-1]
	}
	peers.Grow(int(seat) + 1)
	peers.Set(int(seat))
	f.peers[s] = peers
	f.slots.Grow(int(s) + 1)
	f.slots.Set(int(s))
}

// removePeer notes that a peer no longer predicts an entity.
func (f *foresight) removePeer(s repl.Slot, seat uint16) {
	peers := f.peers[s]
	if peers.Clear(int(seat)); peers.Empty() {
		f.forgetEntity(s)
	}
}

// forgetEntity removes a despawned entity.
func (f *foresight) forgetEntity(s repl.Slot) {
	if f.slots.Has(int(s)) {
		f.slots.Clear(int(s))
		f.peers[s].Reset()
		f.spare = append(f.spare, f.peers[s])
		delete(f.peers, s)
	}
}

// leave forgets a peer that is gone.
func (f *foresight) leave(seat uint16) {
	for s := f.slots.Next(0); s >= 0; s = f.slots.Next(s + 1) {
		if f.predicts(repl.Slot(s), seat) {
			f.removePeer(repl.Slot(s), seat)
		}
	}
}

// Predict says whether the peer predicts an entity: it is told so, while it is shown the
// entity and that is not paused. Groups of which it predicts somebody are sent to it first
// and together, and a mark behind them says that with it the peer holds all of them as of
// the packet's tick. It counts for as long as the entity is taken in, whatever group that
// is in, and whoever is shown that.
func (p *Peer) Predict(s repl.Slot, on bool) {
	w := p.world
	if !w.slots.used.Has(int(s)) || w.foresight.predicts(s, p.seat) == on {
		return
	}
	if on {
		w.foresight.addPeer(s, p.seat)
	} else {
		w.foresight.removePeer(s, p.seat)
	}
	p.foreseeGroup(w.slots.group[s])
}

// Predicts reports whether the peer is to know of an entity that it predicts it.
func (p *Peer) Predicts(s repl.Slot) bool {
	w := p.world
	if !w.slots.used.Has(int(s)) || !w.foresight.predicts(s, p.seat) {
		return false
	}
	sp, i := p.stateOf(w.slots.group[s])
	if i < 0 || !p.foreseesIn(sp, i) {
		return false
	}
	_, m := w.member(s)
	return p.foresees(sp.viewOf(i), m)
}

// foreseesIn reports whether the peer can predict anything in a group: it is shown that.
func (p *Peer) foreseesIn(sp *space, i int) bool {
	id := p.group(sp, i)
	return id != noGroup && p.world.groups[id].open && !sp.retained.Has(i) && p.shows(id)
}

// foresees reports whether the peer predicts a member of a group that it is shown.
func (p *Peer) foresees(v View, m *member) bool {
	if p.world.isPaused(m.slot) || !p.world.foresight.predicts(m.slot, p.seat) {
		return false
	}
	h, _ := p.world.views.hides(v, m.number)
	return !h.whole
}

// foreseesSome reports whether the peer predicts any of a group.
func (p *Peer) foreseesSome(sp *space, i int) bool {
	if len(p.world.foresight.peers) == 0 || !p.foreseesIn(sp, i) {
		return false
	}
	members := p.world.groups[p.group(sp, i)].members
	for k := range members {
		if p.foresees(sp.viewOf(i), &members[k]) {
			return true
		}
	}
	return false
}

// foresee updates the predicted sets of all peers that predict an entity, for a group that it has
// joined or left, or in which its number changed.
func (w *World) foresee(s repl.Slot, id groupID) {
	if !w.foresight.slots.Has(int(s)) {
		return
	}
	peers := w.foresight.peers[s]
	for seat := peers.Next(0); seat >= 0; seat = peers.Next(seat + 1) {
		w.seats[seat].foreseeGroup(id)
	}
}

func (p *Peer) foreseeGroup(id groupID) {
	if sp, i := p.stateOf(id); i >= 0 {
		p.foresee(sp, i)
	}
}

// foreseen is a group of which a peer predicts somebody, or may think so.
type foreseen struct {
	group repl.Handle
	said  uint64 // hash of the predicted set sent last; 0: empty
	// unsaid: that is not so any more, and it is to be told.
	unsaid bool
	heard  bool // it was told of somebody once, and may not have heard that it is nobody
	// since is when its last update was sent first, and repeats how often that is yet to be
	// repeated.
	since   entangle.Tick
	repeats uint8
}

// foresee updates the peer's predicted set of a group, and makes it due if it differs from the one
// sent last. Until the peer has acknowledged that it is empty, marks go on to include the group.
func (p *Peer) foresee(sp *space, i int) {
	some := p.foreseesSome(sp, i)
	switch has := sp.predicted.Has(i); {
	case !some && !has:
		return
	case some && !has:
		p.beginPredicted(sp, i)
	case !some && !p.predicted[p.foreseenAt(sp, i)].heard:
		p.forgetPredicted(sp, i)
		return
	}
	if sp.phase[i] == known {
		p.unsay(sp, i)
	}
	sp.settle(i)
}

// unsay makes the peer's predicted set for a group that it was sent due again, if it is stale.
func (p *Peer) unsay(sp *space, i int) {
	p.findPredicted(sp, i, repl.Delta)
	f := &p.predicted[p.foreseenAt(sp, i)]
	if f.unsaid = f.said != p.hash; f.unsaid {
		sp.shapeDue.Set(i)
	}
}

// unsaid reports whether the peer's predicted set for a group must be resent.
func (p *Peer) unsaid(sp *space, i int) bool {
	return sp.predicted.Has(i) && p.predicted[p.foreseenAt(sp, i)].unsaid
}

// foreseenAt returns where a group stands among those of which the peer predicts some, or
// belongs.
func (p *Peer) foreseenAt(sp *space, i int) int {
	at, _ := slices.BinarySearchFunc(p.predicted, sp.first+repl.Handle(i), func(f foreseen, h repl.Handle) int { return cmp.Compare(f.group, h) })
	return at
}

// beginPredicted adds a group to those of which the peer predicts some.
func (p *Peer) beginPredicted(sp *space, i int) {
	p.predicted = slices.Insert(p.predicted, p.foreseenAt(sp, i), foreseen{group: sp.first + repl.Handle(i), since: p.world.tick})
	sp.predicted.Set(i)
	if p.world.holds(p.group(sp, i)) {
		sp.await(i, p.world.tick)
		sp.due.Set(i)
	}
}

// forgetPredicted removes a group after the peer has acknowledged that its predicted set is empty.
func (p *Peer) forgetPredicted(sp *space, i int) {
	if !sp.predicted.Has(i) {
		return
	}
	at := p.foreseenAt(sp, i)
	p.predicted = slices.Delete(p.predicted, at, at+1)
	sp.predicted.Clear(i)
	sp.settle(i)
}

// tidyPredicted does that when all that was sent of a group is acknowledged, if the predicted set
// is empty.
func (p *Peer) tidyPredicted(sp *space, i int) {
	if !sp.predicted.Has(i) {
		return
	}
	f := &p.predicted[p.foreseenAt(sp, i)]
	if f.heard = f.said != 0; !f.heard && !p.foreseesSome(sp, i) {
		p.forgetPredicted(sp, i)
	}
}

// findPredicted finds the predicted set that an action states.
func (p *Peer) findPredicted(sp *space, i int, kind repl.Kind) {
	said := &p.said
	said.Reset()
	p.hash = 0
	if kind == repl.Gone || !sp.predicted.Has(i) {
		return
	}
	said.Said = kind == repl.Delta
	if !p.foreseesIn(sp, i) {
		return
	}
	members, v, others := p.world.groups[p.group(sp, i)].members, sp.viewOf(i), false
	for k := range members {
		m := &members[k]
		if p.foresees(v, m) {
			said.Members = append(said.Members, m.number)
		} else if h, _ := p.world.views.hides(v, m.number); !h.whole {
			others = true
		}
	}
	if len(said.Members) == 0 {
		return
	}
	p.hash = hashNumbers(said.Members)
	if said.Said, said.All = true, !others; said.All {
		said.Members = said.Members[:0]
	}
}

// saidPredicted notes that an action of a predicted group was sent with the set that findPredicted
// found.
func (p *Peer) saidPredicted(sp *space, i int) {
	f := &p.predicted[p.foreseenAt(sp, i)]
	f.unsaid, f.said, f.heard = false, p.hash, f.heard || p.hash != 0
}

// hashNumbers is FNV-1a over some numbers: 0 for none alone.
func hashNumbers(numbers []repl.Member) uint64 {
	h := uint64(14695981039346656037)
	for _, n := range numbers {
		h = (h ^ uint64(n)) * 1099511628211
	}
	return h | 1
}
