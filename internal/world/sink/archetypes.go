package sink

import (
	"fmt"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
)

// archetypes limits how many archetypes the records of a server make the world create. Arche keeps
// an archetype, with space for many entities, for as long as the world lives, or as long as the
// relation target of the archetype lives. Without a limit, an entity that gets different components
// with every record would use more and more memory, and many entities with different components
// would use far more memory than the entities themselves.
type archetypes struct {
	world    *ecs.World
	known    map[archetype]struct{}
	last     archetype // the archetype that was allowed last
	targeted int       // number of known archetypes with a target
	sweepAt  int       // value of targeted at which archetypes with a dead target are removed
	exceeded bool      // an archetype was refused: the connection ends

	most, mostTargeted int // limits on archetypes without a target, and with one
}

// archetype identifies an archetype of Arche.
type archetype struct {
	mask   ecs.Mask
	target ecs.Entity // the target of the relation
}

// minArchetypes is the lowest limit on archetypes, however small the limit on entities is.
const minArchetypes = 1 << 10

// setLimits sets the limits that belong to a limit on entities.
func (t *archetypes) setLimits(entities int) {
	t.most, t.mostTargeted = max(entities/8, minArchetypes), max(entities, minArchetypes)
}

// allow reports whether an entity may take an archetype: it is known, or there is space for one
// more. After a refusal, the current record and all later ones are not written until the connection
// has ended.
func (t *archetypes) allow(of archetype) bool {
	if t.exceeded || of == t.last {
		return !t.exceeded
	}
	if _, ok := t.known[of]; !ok {
		if !t.hasRoom(of) {
			t.exceeded = true
			return false
		}
		t.known[of] = struct{}{}
		if !of.target.IsZero() {
			t.targeted++
		}
	}
	t.last = of
	return true
}

// hasRoom reports whether there is space for one more archetype. For archetypes with a target, it
// reports false once at most an eighth of their limit is free after a sweep, because each search for
// dead targets takes time.
func (t *archetypes) hasRoom(of archetype) bool {
	if of.target.IsZero() {
		return len(t.known)-t.targeted < t.most
	}
	if t.targeted < t.sweepAt {
		return true
	}
	for known := range t.known {
		if !known.target.IsZero() && !t.world.Alive(known.target) {
			delete(t.known, known)
			t.targeted--
		}
	}
	t.sweepAt = min(2*t.targeted+64, t.mostTargeted)
	return t.targeted <= t.mostTargeted-t.mostTargeted/8
}

// Overgrown returns a readable sentence that says which limit was exceeded, if the server gives its
// entities more different archetypes than there is space for.
func (a *Applier) Overgrown() (reason string, ok bool) {
	if !a.archetypes.exceeded {
		return "", false
	}
	return fmt.Sprintf("the server gives entities more different components than this client takes, %d sets of them and %d with a target; "+
		"both follow ClientConfig.MaxEntities", a.archetypes.most, a.archetypes.mostTargeted), true
}

// archetypeAfter returns the archetype of an entity after the staged change of structure.
func (a *Applier) archetypeAfter(e ecs.Entity) archetype {
	s := archetype{a.world.Mask(e), a.world.Relations().GetUnchecked(e, a.remote)} // the target of any relation
	for _, id := range a.stage.remove {
		s.mask.Set(id, false)
		if !s.target.IsZero() {
			if info, _ := ecs.ComponentInfo(a.world, id); info.IsRelation {
				s.target = ecs.Entity{}
			}
		}
	}
	for _, id := range a.stage.add {
		s.mask.Set(id, true)
	}
	return s
}

// allowConfirmed is allow for the archetype that an entity gets when the prediction restores its
// confirmed state. It returns false if a listener of the game has removed the entity.
func (a *Applier) allowConfirmed(slot repl.Slot) bool {
	if !a.world.Alive(a.Replicas.entities[slot].entity) {
		return false
	}
	state := a.prediction.store.Confirmed(a.Replicas.Info[slot].storeSlot)
	s := archetype{a.world.Mask(a.Replicas.entities[slot].entity), columns.UnpackEntity(state.Target)}
	for comp := range a.comps {
		s.mask.Set(a.comps[comp].id, state.Mask.Has(comp))
	}
	return a.archetypes.allow(s)
}
