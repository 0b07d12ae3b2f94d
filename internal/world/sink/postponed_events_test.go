package sink

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
)

// postponed returns a pair with a predicted entity that the game has despawned ahead of the server, and
// which the server has updated since. The entity has a place and a score.
func postponed(t *testing.T) (p *pair, e, there ecs.Entity) {
	p = newPair(t)
	e = p.spawn(idIn[aheadPlace](p.world), idIn[aheadScore](p.world))
	p.send()
	there = p.there(e)
	p.disable(there, true)
	p.took()
	value[aheadScore](p.world, e).N++
	p.send()
	require.Empty(t, p.took(), "its components are not in the world")
	return p, e, there
}

func (p *pair) disable(there ecs.Entity, on bool) { p.by.disabled[p.by.slots[there]] = on }

// Events of an entity that the game has despawned ahead of the server are raised once, when it returns: one
// for each component that differs from what the game knows.
func TestPostponedEventsAreRaisedWhenTheEntityReturns(t *testing.T) {
	p, e, there := postponed(t)
	p.applier.RaisePostponed()
	require.Empty(t, p.took(), "it has not returned")
	p.world.Remove(e, idIn[aheadPlace](p.world))
	p.send()
	p.disable(there, false)
	p.applier.RaisePostponed()
	assert.ElementsMatch(t, []string{"aheadPlace removed", "aheadScore updated"}, p.took())
	p.applier.RaisePostponed()
	assert.Empty(t, p.took())
}

// Postponed events end with their entity, and the next one in its slot does not inherit them.
func TestPostponedEventsOfASlotThatIsReused(t *testing.T) {
	p, next := successor(t)
	there := p.there(next)
	p.took()
	p.disable(there, true)
	p.world.Remove(next, idIn[aheadPlace](p.world))
	p.send()
	require.Empty(t, p.took())
	p.disable(there, false)
	p.applier.RaisePostponed()
	assert.Equal(t, []string{"aheadPlace removed"}, p.took(), "nothing of the other entity's score")

	p, _ = successor(t)
	p.applier.RaisePostponed()
	assert.Empty(t, p.took())
}

// successor returns a pair in which another entity has the slot of the entity of postponed.
func successor(t *testing.T) (p *pair, next ecs.Entity) {
	p, e, there := postponed(t)
	slot := slotOf(p.applier, there)
	p.world.RemoveEntity(e)
	p.send()
	next = p.spawn(idIn[aheadPlace](p.world), idIn[aheadScore](p.world))
	p.send()
	require.Equal(t, slot, slotOf(p.applier, p.there(next)))
	p.took()
	return p, next
}

// An entity that the game has removed for good has no events.
func TestPostponedEventsOfAnEntityThatTheGameRemoved(t *testing.T) {
	p, _, there := postponed(t)
	p.disable(there, false)
	p.far.RemoveEntity(there)
	p.applier.RaisePostponed()
	assert.Empty(t, p.took())
}

// When the connection ends, events of an entity that has returned are raised before it goes, and those of
// an entity that has not are dropped.
func TestPostponedEventsWhenTheConnectionEnds(t *testing.T) {
	for returns, want := range map[bool][]string{true: {"aheadScore updated"}, false: nil} {
		p, _, there := postponed(t)
		p.far.Add(there, idIn[components.Persistent](p.far))
		p.disable(there, !returns)
		p.applier.Clear()
		events := p.took()
		if !returns {
			require.Equal(t, []string{"despawned"}, events)
			events = nil
		}
		assert.Equal(t, want, events)
		p.disable(there, false)
		p.applier.RaisePostponed()
		assert.Empty(t, p.took())
	}
}
