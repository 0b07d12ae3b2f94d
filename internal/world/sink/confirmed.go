package sink

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// maxLastConfirmed limits the entities per frame for which the last confirmed state is kept.
const maxLastConfirmed = 1024

// lastConfirmed holds the last confirmed state of predicted entities that were despawned in the
// current frame, so that readers of despawn events can ask for it.
type lastConfirmed struct {
	on  bool // KeepLastConfirmed was called
	of  map[ecs.Entity]lastState
	buf []byte
}

type lastState struct {
	tick entangle.Tick
	mask set.Mask
	at   int // offset in buf of its values, which are in order of component number
}

// KeepLastConfirmed makes Confirmed answer for entities that were despawned in this frame, too.
func (a *Applier) KeepLastConfirmed() {
	if l := &a.prediction.last; !l.on {
		l.on, l.of = true, map[ecs.Entity]lastState{}
	}
}

// Component returns the number of a registered component by its id in the world. ok is false if
// there is none, or if its values are not replicated.
func (a *Applier) Component(id ecs.ID) (comp int, ok bool) {
	for i := range a.comps {
		if a.comps[i].id == id {
			return i, !a.comps[i].input
		}
	}
	return 0, false
}

// keepConfirmed keeps the last confirmed state of an entity.
func (a *Applier) keepConfirmed(e ecs.Entity, at rollback.Slot) {
	l := &a.prediction.last
	if !l.on || len(l.of) == maxLastConfirmed {
		return
	}
	state := a.prediction.store.Confirmed(at)
	l.of[e] = lastState{tick: state.Tick, mask: state.Mask, at: len(l.buf)}
	for comp := state.Mask.Next(0); comp >= 0 && comp < len(a.comps); comp = state.Mask.Next(comp + 1) {
		l.buf = append(l.buf, a.prediction.store.ConfirmedValue(at, comp)[:len(a.comps[comp].value)]...)
	}
}

// ForgetLastConfirmed drops the kept states, at the beginning of a frame.
func (a *Applier) ForgetLastConfirmed() {
	clear(a.prediction.last.of)
	a.prediction.last.buf = a.prediction.last.buf[:0]
}

// Confirmed returns the memory of the confirmed value of a component, and the tick of that value.
// The memory is valid until the applier applies another record. ok is false if the entity is no
// replica, or does not have the component.
func (a *Applier) Confirmed(e ecs.Entity, comp int) (value []byte, tick entangle.Tick, ok bool) {
	if s, ours := a.Replicas.Slot(e); ours {
		value, ok = a.confirmedValue(s, comp)
		return value, a.Replicas.entities[s].tick, ok
	}
	if at, gone := a.prediction.gone[e]; gone && a.world.Alive(e) { // otherwise its slot may belong to another entity
		state := a.prediction.store.Confirmed(at)
		return a.prediction.store.ConfirmedValue(at, comp), state.Tick, state.Mask.Has(comp)
	}
	return a.lastConfirmedOf(e, comp)
}

func (a *Applier) lastConfirmedOf(e ecs.Entity, comp int) (value []byte, tick entangle.Tick, ok bool) {
	state, ok := a.prediction.last.of[e]
	if !ok || !state.mask.Has(comp) {
		return nil, 0, false
	}
	at := state.at
	for other := state.mask.Next(0); other < comp; other = state.mask.Next(other + 1) {
		at += len(a.comps[other].value)
	}
	return a.prediction.last.buf[at : at+len(a.comps[comp].value)], state.tick, true
}
