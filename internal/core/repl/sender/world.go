package sender

import (
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/schedule"
	"github.com/entangle-ecs/entangle/internal/core/rewind"
	"github.com/entangle-ecs/entangle/internal/set"
)

// World is the part of a sender that all peers share: the replicated groups, the ticks at which they last changed, and
// what was encoded in this tick.
type World struct {
	state *group.State
	enc   *encode.Encoder

	viewers     []ident.Viewer // scratch of makePrivateDue
	peers       []*Peer
	byIndex     []*Peer       // by Peer.Number; nil for a free number
	unused      []group.Space // public spaces of closed peers, emptied, for new peers
	predictions predictions
	stats       Stats
	targetOf    func(repl.Slot) (rewind.Target, set.Mask) // see RecordReceived
}

// NewWorld returns an empty world of the given number of component types.
func NewWorld(src encode.Source, comps int) *World {
	if comps > set.MaskSize {
		panic(fmt.Sprintf("sender: %d component types, at most %d are possible", comps, set.MaskSize))
	}
	w := &World{predictions: predictions{}}
	w.state = group.NewState(comps)
	w.enc = encode.NewEncoder(src, w.state)
	return w
}

// Unshare makes the world encode every body separately for each peer. The peers are sent the same
// bits: tests compare this plain implementation with the shared one.
func (w *World) Unshare() { w.enc.Unshared = true }

// Unrun makes the world encode runs separately for each peer, record by record, from shared chunks.
// Tests compare this plain implementation with copied runs.
func (w *World) Unrun() { w.enc.Unrun = true }

// Len returns the number of open groups.
func (w *World) Len() int { return w.state.Open.Count }

// Peers returns the number of peers.
func (w *World) Peers() int { return len(w.peers) }

// Tick returns the tick of the last Begin.
func (w *World) Tick() entangle.Tick { return w.state.Tick }

// SetRate sets the rate of an entity, which lasts until the entity ends.
func (w *World) SetRate(s repl.Slot, r group.Rate) { w.state.SetRate(s, r) }

// SetStride sets the expected number of ticks from one Begin to the next, if not every tick is sent. Later calls of
// SetRate round intervals up to a multiple of it.
func (w *World) SetStride(ticks int) { w.state.SetStride(ticks) }

// PollRefused returns an entity of a group that is not sent because it exceeds repl.MaxGroupBytes. Each change of the
// group's structure causes one more report. ok is false when there is none.
func (w *World) PollRefused() (s repl.Slot, ok bool) { return w.state.PollRefused() }

// Begin starts a tick, which must be later than the last one.
func (w *World) Begin(tick entangle.Tick) {
	w.state.Begin(tick)
	w.enc.Held = false
	w.state.OldestInFlight = w.oldestInFlight()
	for _, p := range w.peers {
		p.visibility.freeRetired()
	}
	w.state.TidyDue()
	w.state.FreeUnused(w.freeHandles)
}

// Hold stops all sending until the next Begin. Call it in a frame that sends no tick: the source would write values that are
// newer than the tick of the last Begin.
func (w *World) Hold() { w.enc.Held = true }

// Held reports whether Hold was called since the last Begin.
func (w *World) Held() bool { return w.enc.Held }

// Commit ends the changes of a tick: the changed groups become due at every peer that may see them.
func (w *World) Commit() {
	// First, because enc.Begin reuses the runs of the old plans.
	for _, p := range w.peers {
		p.plan.RequeueUnsent()
	}
	w.enc.Begin(w.oldestPacket())
	w.state.UpdateRates()
	// Before ReleaseTurns: a group that a peer predicts is not due there at its turns, and a change that waits for one now is
	// due at a peer that begins to predict the group.
	for _, p := range w.peers {
		p.prediction.updateStale()
	}
	schedule.ReleaseTurns(w.state, w.privateSpace)
	for _, p := range w.peers {
		p.plan.MakeDue(w.state.Changed.Public)
		p.groups.Public.StructureDue.Join(w.state.Changed.Reshaped)
	}
	w.makePrivateDue()
}

// makePrivateDue makes changed private groups due. The viewers are collected first: their lists are spread over memory,
// and the processor loads several at the same time if it does nothing else.
func (w *World) makePrivateDue() {
	w.viewers = w.viewers[:0]
	for _, id := range w.state.Changed.Private {
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
		}
	}
}

// privateSpace returns the private space of a peer.
func (w *World) privateSpace(peer uint16) *group.Space { return &w.byIndex[peer].groups.Private }
