package sender

import (
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/schedule"
	"github.com/entangle-ecs/entangle/internal/set"
)

// World is the replicated state and the ticks at which it last changed. All peers of one sender
// share it.
type World struct {
	state *group.State
	enc   *encode.Encoder

	held bool // between ticks: the source's values may be newer than the tick

	viewers     []ident.Viewer // of private groups that changed; see makePrivateDue
	peers       []*Peer
	byIndex     []*Peer // by number; nil: free
	predictions predictions
	stats       Stats

	// Functions as values, made once: a method value made per call allocates.
	firstBaseline func(h int) (repl.From, bool)
	privateOf     func(peer uint16) *group.Space
}

// NewWorld returns an empty world of the given number of component types.
func NewWorld(src encode.Source, comps int) *World {
	if comps > set.MaskSize {
		panic(fmt.Sprintf("sender: %d component types, at most %d can be told apart", comps, set.MaskSize))
	}
	w := &World{}
	w.state = group.NewState(comps, &acks{world: w})
	w.enc = encode.NewEncoder(src, w.state)
	w.firstBaseline = w.baselineInUse
	w.privateOf = func(peer uint16) *group.Space { return &w.byIndex[peer].groups.Private }
	return w
}

// Unshare makes the world encode every body separately for each peer. The peers are sent the same
// bits: tests compare this plain implementation with the shared one.
func (w *World) Unshare() { w.enc.Unshared = true }

// Unrun makes the world write runs separately for each peer, record by record, from shared bodies.
// Tests compare this plain implementation with copied runs.
func (w *World) Unrun() { w.enc.Unrun = true }

// Len returns the number of groups that are replicated.
func (w *World) Len() int { return w.state.Live }

// Peers returns the number of peers.
func (w *World) Peers() int { return len(w.peers) }

// Tick returns the tick of the last Begin.
func (w *World) Tick() entangle.Tick { return w.state.Tick }

// SetRate says how often the group of an entity is to be sent, and how urgent it is. It
// counts for as long as the entity is taken in.
func (w *World) SetRate(s repl.Slot, r group.Rate) { w.state.SetRate(s, r) }

// SetStride says how many ticks lie from one Begin to the next, as a rule: in between
// nothing is sent. Intervals that are set from then on are rounded up to a multiple of it.
func (w *World) SetStride(ticks int) { w.state.SetStride(ticks) }

// PollRefused returns an entity of a group that is not sent because it is larger than
// repl.MaxGroupBytes, once for each change of the group's structure.
func (w *World) PollRefused() (s repl.Slot, ok bool) { return w.state.PollRefused() }

// Begin opens a tick, later than the last one.
func (w *World) Begin(tick entangle.Tick) {
	w.held = false
	w.state.Begin(tick)
	w.enc.Begin(w.packetUnderWay())
	for _, p := range w.peers {
		p.freeRetired()
	}
	w.state.TidyDue()
	w.state.FreeUnused(w.freeHandles)
}

// Hold stops all sending until the next Begin. A frame that sends no tick calls it: the source would
// encode values that are newer than the tick of the last Begin.
func (w *World) Hold() { w.held = true }

// Held reports whether sending stopped.
func (w *World) Held() bool { return w.held }

// Commit closes the tick: what changed in it becomes due for every peer that sees
// it.
func (w *World) Commit() {
	w.enc.Grow()
	schedule.ReleaseTurns(w.state, w.privateOf)
	for _, p := range w.peers {
		if p.plan.Metered {
			p.plan.RequeueUnsent()
		}
		p.plan.MakeDue(w.state.Moved)
		p.groups.Public.StructureDue.Join(w.state.Reshaped)
		p.groups.Public.Steady.Drop(w.state.Reshaped)
	}
	w.makePrivateDue()
}

// makePrivateDue makes due what changed in private groups. The viewers are collected first: their lists lie
// all over the memory, and the processor fetches several at a time if it does nothing else.
func (w *World) makePrivateDue() {
	w.viewers = w.viewers[:0]
	for _, id := range w.state.ChangedPrivate {
		if gr := &w.state.Groups[id]; gr.Shaped == w.state.Tick {
			w.makeStructureDue(gr)
		} else {
			w.viewers = append(w.viewers, gr.Viewers...)
		}
	}
	for _, v := range w.viewers {
		if v.Shown() {
			w.byIndex[v.Peer()].groups.Private.MarkDue(v.Handle(), w.state.Tick)
		}
	}
}

// makeStructureDue makes a group's structure due for the peers that see it or retain it.
func (w *World) makeStructureDue(gr *group.Group) {
	for _, v := range gr.Viewers {
		if sp := &w.byIndex[v.Peer()].groups.Private; v.Shown() || sp.Retained.Has(v.Handle()) {
			sp.StructureDue.Set(v.Handle())
			sp.Steady.Clear(v.Handle())
		}
	}
}

// baselineInUse returns the baseline of the first peer that waits for values alone of a public group.
func (w *World) baselineInUse(h int) (from repl.From, ok bool) {
	changed := w.state.Groups[w.state.Public.Groups[h]].Changed
	for _, p := range w.peers {
		if p.groups.Public.Steady.Has(h) && p.groups.Public.Base[h].Before(changed) {
			return p.groups.Public.Baseline(h), true
		}
	}
	return repl.From{}, false
}
