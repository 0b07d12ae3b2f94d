package sender

import (
	"math"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/schedule"
	"github.com/entangle-ecs/entangle/internal/core/rewind"
)

// Peer is the sending side of one peer: what it may see, was sent and has acknowledged. It consists of parts with data
// of their own; doc.go says which uses which.
type Peer struct {
	groups   group.Peer // comes first, because each tick reads it for every peer
	plan     schedule.Planner
	world    *World
	state    *group.State
	messages flight.Messages
	stats    Stats

	updates
	actions
	visibility
	prediction
	joining
	received *rewind.Received // nil unless World.RecordReceived was called
}

// NewPeer adds a peer, for which all public groups become due.
func (w *World) NewPeer() *Peer {
	p := &Peer{world: w, state: w.state}
	p.groups.State = w.state
	p.plan = schedule.NewPlanner(&p.groups, w.enc)
	if n := len(w.unused); n > 0 {
		p.groups.Public, w.unused = w.unused[n-1], w.unused[:n-1]
	}
	p.groups.Public.IDs = &w.state.Public
	p.groups.Private.First, p.groups.Private.IDs = repl.Private, &ident.Table{}
	p.joining.groups = &p.groups
	p.prediction = prediction{groups: &p.groups, state: w.state, plan: &p.plan, predictions: w.predictions}
	p.visibility = visibility{groups: &p.groups, state: w.state, joining: &p.joining, prediction: &p.prediction, messages: &p.messages}
	p.actions = actions{
		groups: &p.groups, state: w.state, enc: w.enc, joining: &p.joining, prediction: &p.prediction, visibility: &p.visibility,
		messages: &p.messages, stats: &p.stats, units: units{found: map[ident.GroupIndex]bool{}},
	}
	p.visibility.actions = &p.actions
	p.updates = updates{groups: &p.groups, state: w.state, enc: w.enc, plan: &p.plan, prediction: &p.prediction, stats: &p.stats}
	if w.targetOf != nil {
		p.received = &rewind.Received{}
		p.updates.received, p.actions.received, p.actions.targetOf = p.received, p.received, w.targetOf
	}
	if w.enc.UsesPrev {
		p.groups.Public.Prev, p.groups.Private.Prev = []uint8{}, []uint8{}
		p.updates.flights.KeepBaselines = true
	}
	p.groups.Public.Grow(w.state.Public.Len(), w.state.Tick)
	w.peers, w.state.Peers = append(w.peers, p), append(w.state.Peers, &p.groups)
	w.addPeer(p)
	p.groups.Public.StructureDue.Join(w.state.Open.Public)
	return p
}

// Close removes a peer from the world. It must not be used afterwards.
func (p *Peer) Close() {
	for _, sp := range p.groups.Spaces() {
		for i := range sp.Len() {
			if !sp.IsAbsent(i) {
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
	p.world.peers = slices.DeleteFunc(p.world.peers, func(other *Peer) bool { return other == p })
	p.state.Peers = slices.DeleteFunc(p.state.Peers, func(other *group.Peer) bool { return other == &p.groups })
	p.world.predictions.forgetPeer(p.groups.Index)
	p.world.byIndex[p.groups.Index] = nil
	p.world.stats.accumulate(p.countStats())
	p.world.unused = append(p.world.unused, p.groups.Public.Emptied())
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
	return p.groups.Public.IsIdle() && p.groups.Private.IsIdle() && p.plan.Next == len(p.plan.Steps) &&
		p.updates.flights.Len() == 0 && p.messages.Empty() && !p.plan.AwaitsTurn()
}
