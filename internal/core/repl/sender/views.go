package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
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
	Comps repl.Mask
}

// views holds every view once, however many peers have it.
type views struct {
	list  []view // View 1 is the first
	spare []View
}

type view struct {
	hidden []Hidden // by rising slot; nil: not in use
	users  int32
}

// of returns what a view hides.
func (v *views) of(id View) []Hidden {
	if id == 0 {
		return nil
	}
	return v.list[id-1].hidden
}

// intern finds the view that hides this, or makes it. When there are too many it is
// not ok.
func (v *views) intern(hidden []Hidden) (id View, ok bool) {
	if len(hidden) == 0 {
		return 0, true
	}
	hidden = slices.Clone(hidden)
	slices.SortFunc(hidden, func(a, b Hidden) int { return int(a.Slot) - int(b.Slot) })
	for i := range v.list {
		if slices.Equal(v.list[i].hidden, hidden) {
			return View(i + 1), true
		}
	}
	if n := len(v.spare); n > 0 {
		id, v.spare = v.spare[n-1], v.spare[:n-1]
		v.list[id-1] = view{hidden: hidden}
		return id, true
	}
	if len(v.list) == MaxViews {
		return 0, false
	}
	v.list = append(v.list, view{hidden: hidden})
	return View(len(v.list)), true
}

// use counts the peers that have a view; one that nobody has is forgotten.
func (v *views) use(id View, n int32) {
	if id == 0 {
		return
	}
	of := &v.list[id-1]
	if of.users += n; of.users == 0 {
		*of = view{}
		v.spare = append(v.spare, id)
	}
}

// hides returns what a view leaves out of a slot.
func (v *views) hides(id View, s repl.Slot) (h Hidden, some bool) {
	hidden := v.of(id)
	i, some := slices.BinarySearchFunc(hidden, s, func(h Hidden, s repl.Slot) int { return int(h.Slot) - int(s) })
	if !some {
		return Hidden{}, false
	}
	return hidden[i], true
}

// finds reports whether a peer may see an entity in the group that it is in.
func (p *Peer) finds(s repl.Slot) bool {
	id := p.world.slots.group[s]
	if !p.shows(id) {
		return false
	}
	sp, i := p.find(id)
	h, _ := p.world.views.hides(sp.viewOf(i), s)
	return !h.Whole
}

// SetView says what a peer may see of an entity's group. The group is sent to it
// again in full, as it is seen now. It reports false, and changes nothing, when the
// peer has no such group or MaxViews are in use.
func (p *Peer) SetView(s repl.Slot, hidden ...Hidden) bool {
	w := p.world
	if !w.slots.used.Has(int(s)) {
		return false
	}
	sp, i := p.find(w.slots.group[s])
	if i < 0 {
		return false
	}
	id, ok := w.views.intern(hidden)
	if !ok {
		return false
	}
	w.views.use(id, 1)
	w.views.use(sp.viewOf(i), -1)
	if id == sp.viewOf(i) {
		return true
	}
	if sp.view == nil {
		sp.showAll(len(sp.phase))
	}
	sp.view[i] = id
	sp.steady.Clear(i)
	if sp.phase[i] == known {
		sp.doubted.Set(i)
		sp.shapeDue.Set(i)
	}
	return true
}
