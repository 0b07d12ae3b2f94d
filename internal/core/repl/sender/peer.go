package sender

import (
	"math"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/schedule"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Peer is the sending side of one peer: what it may see, was sent and has acknowledged.
type Peer struct {
	// The fields that each tick reads come first.
	groups group.Peer
	plan   schedule.Planner
	world  *World
	enc    *encode.Encoder
	state  *group.State

	flights    flight.Packets
	actions    flight.Messages
	ackedRange ackedRange
	loss       loss
	w          bits.Writer
	run        repl.Run
	stats      Stats

	fulls fulls
	units units
	needs []repl.Need
	prediction
	visibility
	joining
	turn   repl.Handle // at which the next message of actions continues
	begins uint64      // plainFull of the last action in the message that is being written
}

// NewPeer adds a peer, for which all public groups become due.
func (w *World) NewPeer() *Peer {
	p := &Peer{world: w, state: w.state, enc: w.enc}
	p.groups.State = w.state
	p.plan = schedule.NewPlanner(&p.groups, w.enc, w.baselineInUse)
	p.groups.Public.IDs = &w.state.Public
	p.groups.Private.First, p.groups.Private.IDs = repl.Private, &ident.Table{}
	if w.enc.UsesPrev {
		p.groups.Public.Prev, p.groups.Private.Prev = []uint8{}, []uint8{}
		p.flights.KeepBaselines = true
	}
	p.joining.groups = &p.groups
	p.prediction = prediction{groups: &p.groups, state: w.state, plan: &p.plan, predictions: &w.predictions}
	p.visibility = visibility{groups: &p.groups, state: w.state, joining: &p.joining, prediction: &p.prediction, actions: &p.actions}
	p.units.decided = map[ident.Group]bool{}
	p.groups.Public.Grow(w.state.Public.Len(), w.state.Tick)
	w.peers = append(w.peers, p)
	w.addPeer(p)
	for h, id := range w.state.Public.Groups {
		if id != ident.NoGroup && w.state.Groups[id].Open {
			p.groups.Public.StructureDue.Set(h)
		}
	}
	return p
}

// Close removes a peer from the world. It must not be used afterwards.
func (p *Peer) Close() {
	for _, sp := range p.groups.Spaces() {
		for i, ph := range sp.Phase {
			if ph != group.Absent {
				p.state.RemoveHolder(sp.Group(i))
			}
			p.visibility.forgetSentView(sp, i)
			p.state.Views.AddUsers(sp.ViewOf(i), -1)
		}
	}
	for _, id := range p.groups.Private.IDs.Groups {
		if id != ident.NoGroup {
			p.visibility.dropViewer(&p.state.Groups[id])
		}
	}
	for i, other := range p.world.peers {
		if other == p {
			p.world.peers = append(p.world.peers[:i], p.world.peers[i+1:]...)
			break
		}
	}
	p.world.predictions.forgetPeer(p.groups.Index)
	p.world.byIndex[p.groups.Index] = nil
	p.world.stats.accumulate(p.countStats())
	*p = Peer{}
}

// addPeer gives a peer the lowest free index.
func (w *World) addPeer(p *Peer) {
	index := slices.Index(w.byIndex, nil)
	if index < 0 {
		index = len(w.byIndex)
		w.byIndex = append(w.byIndex, nil)
	}
	if index > math.MaxUint16 {
		panic("sender: 65,537 peers of one world at a time: the maximum is 65,536")
	}
	w.byIndex[index], p.groups.Index = p, uint16(index)
}

// Base returns the baseline of a group at this peer, for tests and inspection. ok is false unless the group is present
// there.
func (p *Peer) Base(h repl.Handle) (base entangle.Tick, ok bool) {
	sp, i, ok := p.groups.LocatePresent(h)
	if !ok {
		return 0, false
	}
	return sp.Base[i], true
}

// Idle reports whether the peer was sent everything and has acknowledged it, and no change waits for its turn.
func (p *Peer) Idle() bool {
	return p.groups.Public.IsIdle() && p.groups.Private.IsIdle() && p.flights.Len() == 0 && p.actions.Empty() && !p.plan.AwaitsTurn()
}

// Asked returns the number of entities that the peer was sent again because of resyncs.
func (p *Peer) Asked() uint64 { return p.fulls.sent }

// HandleResync handles a peer's request to resync a group, which it cannot update any more. The group is sent again in
// full. A retained group ends at the peer instead. Groups that are not present at the peer are ignored.
func (p *Peer) HandleResync(h repl.Handle) {
	sp, i, ok := p.groups.LocatePresent(h)
	if !ok || sp.AwaitsResync.Has(i) {
		return
	}
	p.stats.Resyncs++
	if h.Private() {
		p.stats.PrivateResyncs++
	}
	sp.AwaitsResync.Set(i)
	if sp.Retained.Has(i) {
		if p.visibility.endVacated(sp.Group(i)); sp == &p.groups.Private {
			p.visibility.hideSent(i)
		}
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
func (p *Peer) makeFullsDue() {
	if p.fulls.tick == p.state.Tick {
		return
	}
	p.fulls.tick = p.state.Tick
	p.fulls.budget = min(p.fulls.budget, 0) + MaxFullEntitiesPerTick
	left := MaxFullsPerTick
	for _, sp := range p.groups.Spaces() {
		left = p.makeFullsDueIn(sp, left)
	}
}

// makeFullsDueIn does so in one space, for at most left groups, and returns the number that is left. A group whose
// structure is due for another reason does not count against the budget of entities.
func (p *Peer) makeFullsDueIn(sp *group.Space, left int) int {
	for wrapped := false; left > 0 && p.fulls.budget > 0; left-- {
		i := sp.NeedsFull.Next(sp.NextFull)
		if i < 0 && (wrapped || sp.NextFull == 0) {
			break
		} else if i < 0 {
			wrapped, sp.NextFull = true, 0
			continue
		}
		sp.NextFull = i + 1
		sp.Steady.Clear(i)
		if sp.StructureDue.Has(i) {
			continue
		}
		sp.StructureDue.Set(i)
		if id := sp.Group(i); id != ident.NoGroup {
			p.fulls.budget -= len(p.state.Groups[id].Members)
			p.fulls.sent += uint64(len(p.state.Groups[id].Members))
		}
	}
	return left
}
