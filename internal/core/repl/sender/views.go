package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// View is what a peer may see of a group: all of it, which is the zero View, or all
// but something that is hidden.
type View uint16

// MaxViews bounds the different views that are in use at a time.
const MaxViews = 1 << 15

// Hidden is what a view leaves out of one entity: some components, or the entity.
type Hidden struct {
	Slot  repl.Slot
	Whole bool
	Comps set.Mask
}

// part is what a view leaves out of one member of a group, by its number there: so
// that views of different groups are one where they hide the same.
type part struct {
	number repl.Member
	whole  bool
	comps  set.Mask
}

// views holds every view once, however many peers have it.
type views struct {
	list   []view // View 1 is the first
	spare  []View
	byHash map[uint64]View // the last one made of each
	parts  []part          // scratch
}

type view struct {
	parts []part // by rising number; empty: not in use
	hash  uint64
	next  View // of the same hash
	users int32
}

// of returns what a view hides.
func (v *views) of(id View) []part {
	if id == 0 {
		return nil
	}
	return v.list[id-1].parts
}

// intern finds the view that hides this, or makes it. When there are too many it is
// not ok.
func (v *views) intern(parts []part) (id View, ok bool) {
	if len(parts) == 0 {
		return 0, true
	}
	hash := hashOf(parts)
	for id = v.byHash[hash]; id != 0; id = v.list[id-1].next {
		if slices.Equal(v.list[id-1].parts, parts) {
			return id, true
		}
	}
	if n := len(v.spare); n > 0 {
		id, v.spare = v.spare[n-1], v.spare[:n-1]
	} else if len(v.list) == MaxViews {
		return 0, false
	} else {
		v.list = append(v.list, view{})
		id = View(len(v.list))
	}
	if v.byHash == nil {
		v.byHash = map[uint64]View{}
	}
	v.list[id-1] = view{parts: append(v.list[id-1].parts[:0], parts...), hash: hash, next: v.byHash[hash]}
	v.byHash[hash] = id
	return id, true
}

// hashOf is FNV-1a over the words of some parts.
func hashOf(parts []part) uint64 {
	h := uint64(14695981039346656037)
	mix := func(word uint64) { h = (h ^ word) * 1099511628211 }
	for i := range parts {
		p := &parts[i]
		mix(uint64(p.number)<<1 | one(p.whole))
		for _, word := range p.comps {
			mix(word)
		}
	}
	return h
}

func one(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// use counts the peers that have a view; one that nobody has is forgotten.
func (v *views) use(id View, n int32) {
	if id == 0 {
		return
	}
	of := &v.list[id-1]
	if of.users += n; of.users > 0 {
		return
	}
	v.unlink(id)
	*of = view{parts: of.parts[:0]} // its room is used again
	v.spare = append(v.spare, id)
}

// unlink takes a view out of those of its hash.
func (v *views) unlink(id View) {
	of := &v.list[id-1]
	at := v.byHash[of.hash]
	if at == id {
		if v.byHash[of.hash] = of.next; of.next == 0 {
			delete(v.byHash, of.hash)
		}
		return
	}
	for v.list[at-1].next != id {
		at = v.list[at-1].next
	}
	v.list[at-1].next = of.next
}

// hides returns what a view leaves out of a member.
func (v *views) hides(id View, n repl.Member) (h part, some bool) {
	parts := v.of(id)
	i, some := slices.BinarySearchFunc(parts, n, func(h part, n repl.Member) int { return int(h.number) - int(n) })
	if !some {
		return part{}, false
	}
	return parts[i], true
}

// finds reports whether a peer may see an entity in the group that it is in.
func (p *Peer) finds(s repl.Slot) bool {
	id := p.world.slots.group[s]
	if !p.shows(id) {
		return false
	}
	sp, i := p.stateOf(id)
	h, _ := p.world.views.hides(sp.viewOf(i), p.world.slots.numberHere[s])
	return !h.whole
}

// gets is finds, but excludes groups that are too large to be sent: an entity that moves to one
// does not hold up the group that it leaves.
func (p *Peer) gets(s repl.Slot) bool {
	return p.finds(s) && !p.world.groups[p.world.slots.group[s]].withheld
}

// Finds reports whether the peer is shown an entity: its group, and it there.
func (p *Peer) Finds(s repl.Slot) bool { return p.world.slots.used.Has(int(s)) && p.finds(s) }

// Keeps reports whether the peer was left an entity: it is shown it, or retains its group and was
// sent the entity there.
func (p *Peer) Keeps(s repl.Slot) bool {
	if p.keepsMoved(s) || !p.Retains(s) {
		return p.keepsMoved(s) || p.Finds(s)
	}
	sp, i := p.stateOf(p.world.slots.group[s])
	_, m := p.world.member(s)
	h, _ := p.world.views.hides(sp.viewOf(i), m.number)
	return !h.whole && !sp.asOf(i).Before(m.since)
}

// SetView sets the peer's view of an entity's group: all but the hidden parts. Hidden entities that
// are not in the group are ignored. The view holds for the present members: set it again when
// others join. If the view of something that the peer may have changes, the group is sent again in
// full. It reports false, and changes nothing, when the peer has no such group, or retains it, or
// MaxViews are in use.
func (p *Peer) SetView(s repl.Slot, hidden ...Hidden) bool {
	w := p.world
	if !w.slots.used.Has(int(s)) {
		return false
	}
	sp, i := p.stateOf(w.slots.group[s])
	if i < 0 || sp.retained.Has(i) {
		return false
	}
	was := sp.viewOf(i)
	id, ok := w.views.intern(w.parts(w.slots.group[s], was, hidden))
	if !ok {
		return false
	}
	if id == was {
		return true
	}
	again := sp.phase[i] == known && w.viewsDiffer(w.slots.group[s], was, id, sp.shaped[i])
	if again {
		p.keepView(sp, i)
		sp.doubted.Set(i)
		sp.shapeDue.Set(i)
	}
	p.changeView(sp, i, id)
	if sp.phase[i] == unknown && p.shows(w.slots.group[s]) {
		sp.shapeDue.Set(i)
	}
	if again && sp == &p.private {
		p.noteInsertedBefore(i, w.slots.group[s])
	}
	p.updatePredicted(sp, i)
	sp.settle(i)
	return true
}

// changeView gives a peer another view of a group.
func (p *Peer) changeView(sp *space, i int, id View) {
	p.world.views.use(id, 1)
	p.world.views.use(sp.viewOf(i), -1)
	if sp.view == nil {
		sp.showAll(len(sp.phase))
	}
	sp.view[i] = id
	if sp.due.Has(i) {
		sp.sendAgain(i)
	}
}

// shows reports whether values that a view shows of a group changed after a tick. A hidden change
// does not cause data in flight to be resent.
func (w *World) shows(id ident.Group, v View, after entangle.Tick) bool {
	t, any := &w.slots, allTime(w.tick)
	for i := range w.groups[id].members {
		m := &w.groups[id].members[i]
		if w.isPaused(m.slot) || !after.Before(t.touched[m.slot]) {
			continue
		}
		h, _ := w.views.hides(v, m.number)
		if changed := t.changedSince(m.slot, after, &any).Without(h.comps); !h.whole && !changed.IsZero() {
			return true
		}
	}
	return false
}

// showsActive reports whether a view shows a member of a group that does not rest.
func (w *World) showsActive(id ident.Group, v View) bool {
	gr := &w.groups[id]
	if v == 0 {
		return gr.active > 0
	}
	return slices.ContainsFunc(gr.members, func(m member) bool {
		h, _ := w.views.hides(v, m.number)
		return !h.whole && !w.rests(&m)
	})
}

// parts returns the hidden parts of a group, by number. Hidden parts of entities that left the
// group stay hidden, or the peer would learn that they left.
func (w *World) parts(id ident.Group, was View, hidden []Hidden) []part {
	parts := w.views.parts[:0]
	for i := range hidden {
		h := &hidden[i]
		if w.slots.used.Has(int(h.Slot)) && w.slots.group[h.Slot] == id && (h.Whole || !h.Comps.IsZero()) {
			number := w.slots.numberHere[h.Slot]
			if h.Whole {
				parts = append(parts, part{number: number, whole: true})
			} else {
				parts = append(parts, part{number: number, comps: h.Comps})
			}
		}
	}
	if was != 0 {
		for i := range w.groups[id].left {
			if h, some := w.views.hides(was, w.groups[id].left[i].number); some && h.whole {
				parts = append(parts, h)
			}
		}
	}
	slices.SortFunc(parts, byNumber)
	w.views.parts = parts
	return parts
}

func byNumber(a, b part) int { return int(a.number) - int(b.number) }

// appendTo appends a part that hides something.
func (h part) appendTo(parts []part) []part {
	if h.whole || !h.comps.IsZero() {
		return append(parts, h)
	}
	return parts
}

// viewsDiffer reports whether two views differ in the parts of a group that they show to a peer to
// which its structure was last sent at a tick: for entities that came since, only the new view
// counts.
func (w *World) viewsDiffer(id ident.Group, a, b View, told entangle.Tick) bool {
	for i := range w.groups[id].members {
		m := &w.groups[id].members[i]
		if told.Before(m.since) {
			continue
		}
		was, _ := w.views.hides(a, m.number)
		if is, _ := w.views.hides(b, m.number); is != was {
			return true
		}
	}
	return false
}

// unhide ends what peers may not see of a number, which is another member's from now on.
func (w *World) unhide(id ident.Group, n repl.Member) {
	for _, p := range w.peers {
		sp, i := p.stateOf(id)
		if i < 0 || sp.viewOf(i) == 0 {
			continue
		}
		if _, some := w.views.hides(sp.viewOf(i), n); !some {
			continue
		}
		rest := append(w.views.parts[:0], w.views.of(sp.viewOf(i))...)
		rest = slices.DeleteFunc(rest, func(h part) bool { return h.number == n })
		w.views.parts = rest
		if to, ok := w.views.intern(rest); ok { // else it stays hidden, until it is said anew
			p.changeView(sp, i, to)
		}
	}
}
