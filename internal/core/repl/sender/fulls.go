package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// Asked returns the number of entities that the peer was sent again because of resyncs.
func (st *structure) Asked() uint64 { return st.fulls.sent }

// HandleResync handles a peer's request to resync a group, which it cannot update any more. The group is sent again in
// full. A retained group ends at the peer instead. Groups that are not present at the peer are ignored.
func (st *structure) HandleResync(h repl.Handle) {
	sp, i, ok := st.groups.LocatePresent(h)
	if !ok || sp.AwaitsResync.Has(i) {
		return
	}
	st.stats.Resyncs++
	if h.Private() {
		st.stats.PrivateResyncs++
	}
	sp.AwaitsResync.Set(i)
	if sp.Retained.Has(i) {
		st.visibility.hideSent(i)
		return
	}
	sp.NeedsFull.Set(i)
}

// MaxFullsPerTick bounds the groups that a peer is sent again in full in a tick, and MaxFullEntitiesPerTick the entities
// in them. A peer that requests everything all the time then costs a server 64 small groups per tick, some 60 us. A peer
// that needs 4,000 groups again has them after a second. A single group may exceed the budget of entities, and the excess
// is subtracted from the budgets of the next ticks.
const (
	MaxFullsPerTick        = 64
	MaxFullEntitiesPerTick = 256
)

// fulls is the budget for groups that are sent again in full.
type fulls struct {
	tick   entangle.Tick // in which makeFullsDue last ran
	sent   uint64        // number of entities that were sent again
	budget int           // number of entities that may still be sent in this tick; negative after a large group
}

// makeFullsDue makes the next groups due of those that need a full, within the budget of the tick.
func (st *structure) makeFullsDue() {
	if st.fulls.tick == st.state.Tick {
		return
	}
	st.fulls.tick = st.state.Tick
	st.fulls.budget = min(st.fulls.budget, 0) + MaxFullEntitiesPerTick
	left := MaxFullsPerTick
	for _, sp := range st.groups.Spaces() {
		left = st.makeFullsDueIn(sp, left)
	}
}

// makeFullsDueIn does so in one space, for at most left groups, and returns the number that is left. A group whose
// structure is due for another reason does not count against the budget of entities.
func (st *structure) makeFullsDueIn(sp *group.Space, left int) int {
	for wrapped := false; left > 0 && st.fulls.budget > 0; left-- {
		i := sp.NeedsFull.Next(sp.NextFull)
		if i < 0 && (wrapped || sp.NextFull == 0) {
			break
		} else if i < 0 {
			wrapped, sp.NextFull = true, 0
			continue
		}
		sp.NextFull = i + 1
		if sp.StructureDue.Has(i) {
			continue
		}
		sp.StructureDue.Set(i)
		if id := sp.Group(i); id != ident.NoGroup {
			st.fulls.budget -= len(st.state.Groups[id].Members)
			st.fulls.sent += uint64(len(st.state.Groups[id].Members))
		}
	}
	return left
}
