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

// Peer is the part of the world that one peer was sent, and the part that it acknowledged.
type Peer struct {
	// What every tick reads comes first.
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

	fulls    fulls
	units    units
	needs    []repl.Need
	stated   statedSet
	retiring retiring
	hiddenAt map[int32]entangle.Tick // of private groups that the peer is to be sent the end of; see noteHidden
	vacant   map[ident.Group]vacated // groups that their only entity left, and that the peer keeps with it
	joining  joining
	turn     repl.Handle // where the next message of actions goes on
	begins   uint64      // what the last full of the message that is being written begins with; see plainFull

	// The methods as values, made once: a method value made per call allocates.
	onAcked, onLost       func(flight.Sent)
	onRunAcked, onRunLost func(entangle.Tick, flight.SentRun)
	onDelivered           func(flight.Action)
}

// NewPeer takes a peer in: all that everybody may see becomes due for it.
func (w *World) NewPeer() *Peer {
	p := &Peer{world: w, state: w.state, enc: w.enc}
	p.groups.State = w.state
	p.plan = schedule.NewPlanner(&p.groups, w.enc, w.firstBaseline)
	p.groups.Public.IDs = &w.state.Public
	p.groups.Private.First, p.groups.Private.IDs = repl.Private, &ident.Table{}
	if w.enc.UsesPrev {
		p.groups.Public.Prev, p.groups.Private.Prev = []uint8{}, []uint8{}
		p.flights.KeepBaselines = true
	}
	p.units.judged = map[ident.Group]bool{}
	p.onAcked, p.onLost, p.onDelivered = p.acked, p.lost, p.delivered
	p.onRunAcked, p.onRunLost = p.runAcked, p.runLost
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

// Close lets a peer go: it holds no group any more.
func (p *Peer) Close() {
	w := p.world
	for _, sp := range p.groups.Spaces() {
		for i, ph := range sp.Phase {
			if ph != group.Absent {
				w.state.RemoveHolder(sp.Group(i))
			}
			p.dropView(sp, i)
			w.state.Views.AddUsers(sp.ViewOf(i), -1)
		}
	}
	for _, id := range p.groups.Private.IDs.Groups {
		if id != ident.NoGroup {
			w.dropViewer(&w.state.Groups[id], p)
		}
	}
	for i, other := range w.peers {
		if other == p {
			w.peers = append(w.peers[:i], w.peers[i+1:]...)
			break
		}
	}
	w.predictions.forgetPeer(p.groups.Index)
	w.byIndex[p.groups.Index] = nil
	w.stats.accumulate(p.count())
	*p = Peer{}
}

// addPeer gives a peer a number.
func (w *World) addPeer(p *Peer) {
	seat := slices.Index(w.byIndex, nil)
	if seat < 0 {
		seat = len(w.byIndex)
		w.byIndex = append(w.byIndex, nil)
	}
	if seat > math.MaxUint16 {
		panic("sender: 65,537 peers of one world at a time: it can tell 65,536 apart")
	}
	w.byIndex[seat], p.groups.Index = p, uint16(seat)
}

// Base returns the base of a group at this peer, for tests and inspection; ok is
// false while the peer was not sent the group.
func (p *Peer) Base(h repl.Handle) (base entangle.Tick, ok bool) {
	sp, i, ok := p.groups.LocatePresent(h)
	if !ok {
		return 0, false
	}
	return sp.Base[i], true
}

// Idle reports whether the peer was sent and acknowledged all there is, and no change
// waits for the tick of its group.
func (p *Peer) Idle() bool {
	return p.groups.Public.IsIdle() && p.groups.Private.IsIdle() && p.flights.Len() == 0 && p.actions.Empty() && !p.plan.AwaitsTurn()
}

// Asked returns how many entities the peer was sent again because it asked.
func (p *Peer) Asked() uint64 { return p.fulls.sent }

// HandleResync answers a peer that lost the thread of a group: it is sent again in full, or, if
// it is retained, hidden. Groups that the peer was never sent are ignored.
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
		if p.endVacated(sp.Group(i)); sp == &p.groups.Private {
			p.conceal(i)
		}
		return
	}
	sp.NeedsFull.Set(i)
}

// MaxFullsPerTick bounds the groups that a peer is sent again in a tick because it
// asked, and MaxFullEntitiesPerTick the entities in them. Asking for everything all the time
// then costs a server 64 small groups per tick, some 60 us; a peer that lost 4,000 groups at
// once has them back after a second. One group is sent however large it is, and further ones
// when as many ticks have passed as it takes to pay for it.
const (
	MaxFullsPerTick        = 64
	MaxFullEntitiesPerTick = 256
)

// fulls is what the peer is sent again in full because it asked.
type fulls struct {
	tick   entangle.Tick // the last one in which groups were made due
	sent   uint64        // entities
	budget int           // entities that may be sent in this tick; below 0: debt
}

// makeFullsDue makes the next groups due that are to be sent in full.
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

// makeFullsDueIn does so in one space, for at most left groups, and returns how many of them
// are left. A group that is due for another reason is not charged for.
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
