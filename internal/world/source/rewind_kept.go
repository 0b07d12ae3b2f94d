package source

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/rewind"
	"github.com/entangle-ecs/entangle/internal/set"
)

// keptEntities are the entities of which values are kept, in the order of their slots. They are listed once per tick
// for all views.
type keptEntities struct {
	tick      entangle.Tick
	known     bool
	slots     set.Bitset // with a kept component now
	all       set.Bitset // these, and those that had one when clients were sent a tick last
	stretches []stretch
	names     []uint64 // of all, as are the next two
	joined    []entangle.Tick
	except    []entangle.ClientID // the client that does not interpolate the entity
}

// stretch is some of them that follow one another in the order of their slots, and of their groups.
type stretch struct {
	rewind.Entities
	except []entangle.ClientID
	plain  bool // their groups are public, every client but except interpolates them, and none of it is withheld
}

// listKept lists the entities for the tick that runs now.
func (r *Rewind) listKept(now entangle.Tick) {
	k := &r.kept
	if k.known && k.tick == now {
		return
	}
	k.known, k.tick = true, now
	k.stretches, k.names, k.joined, k.except = k.stretches[:0], k.names[:0], k.joined[:0], k.except[:0]
	k.slots.Reset()
	k.all.Reset()
	for _, col := range r.chosen {
		r.history.AddSlots(&k.slots, &k.all, col)
	}
	k.all.Grow(64 * len(k.slots))
	k.all.Join(k.slots)
	for s := k.all.Next(0); s >= 0; s = k.all.Next(s + 1) {
		r.list(repl.Slot(s))
	}
}

// list adds an entity, to the last stretch if it continues that.
func (r *Rewind) list(s repl.Slot) {
	c, k := r.collector, &r.kept
	entity, except, plain := c.Table.Entity(columns.Slot(s)), entangle.Nobody, false
	e := rewind.Entities{Slot: uint32(s), Gone: r.hasEnded(s, entity)}
	group, joined, used := c.World.GroupOf(s)
	if e.Group = group; used {
		e.Every = c.World.Interval(s)
		except, plain = c.Visibility.interpolatedExceptBy(s)
		withheld := c.Visibility.Overrides.WithheldOf(s)
		plain = plain && !group.Private && withheld.IsZero()
	}
	if n := len(k.stretches); n == 0 || !k.stretches[n-1].continuesWith(&e, plain) {
		k.stretches = append(k.stretches, stretch{Entities: e, plain: plain})
	}
	k.names = append(k.names, columns.PackEntity(entity))
	k.joined, k.except = append(k.joined, joined), append(k.except, except)
	st := &k.stretches[len(k.stretches)-1]
	first := len(k.names) - len(st.Names) - 1
	st.Names, st.Joined, st.except = k.names[first:], k.joined[first:], k.except[first:]
}

// hasEnded reports whether an entity was removed before the end of the last tick. Clients may not be sent that yet.
func (r *Rewind) hasEnded(s repl.Slot, e ecs.Entity) bool {
	return !r.kept.slots.Has(int(s)) && !r.collector.Arche.Alive(e)
}

func (st *stretch) continuesWith(e *rewind.Entities, plain bool) bool {
	n := len(st.Names)
	return st.plain == plain && st.Every == e.Every && st.Gone == e.Gone && st.Slot+uint32(n) == e.Slot && (!plain || st.Group.Index+n == e.Group.Index)
}
