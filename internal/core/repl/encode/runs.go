package encode

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// SharedRun is a packet's worth of public groups that changed in one tick and are due at most peers. It
// is written once for each span of baselines and copied to all peers with baselines in it.
type SharedRun struct {
	flight.SharedRun // all changed groups from the first to the last
	made             []Copy
	failed           bool // WriteRun has failed for some peer, and is not tried again in this tick
}

// runs divides the changes of a tick into runs, and keeps those of earlier ticks as long as a
// packet in flight may carry one.
type runs struct {
	Now        []*SharedRun
	past       []*SharedRun // of rising ticks
	unused     []*SharedRun
	Arena      []byte
	begun      bool
	ValuesOnly set.Bitset // groups with changes of values alone
	w          pack.Writer

	records []Update // of the run that is being written
}

// maxRunBytes bounds the bytes behind a run's head, so that a packet without other contents usually
// has room for both: for a head of six bytes.
const maxRunBytes = repl.MaxUpdateBytes - 6

// retireRuns keeps the runs of the last tick, which packets may carry, as long as a packet of that tick or an earlier one is
// in flight.
func (r *runs) retireRuns(inFlight entangle.Tick) {
	r.past = append(r.past, r.Now...)
	done := 0
	for done < len(r.past) && r.past[done].Tick.Before(inFlight) {
		r.recycle(r.past[done])
		done++
	}
	r.past = r.past[:copy(r.past, r.past[done:])]
	r.Now, r.Arena, r.begun = r.Now[:0], r.Arena[:0], false
}

// recycle keeps the memory of a run for another.
func (r *runs) recycle(old *SharedRun) {
	old.Groups, old.made = old.Groups[:0], old.made[:0]
	r.unused = append(r.unused, old)
}

func (r *runs) fresh(tick entangle.Tick) *SharedRun {
	n := len(r.unused)
	if n == 0 {
		return &SharedRun{SharedRun: flight.SharedRun{Tick: tick}}
	}
	made := r.unused[n-1]
	r.unused = r.unused[:n-1]
	*made = SharedRun{SharedRun: flight.SharedRun{Tick: tick, Groups: made.Groups}, made: made.made}
	return made
}

// Partition divides the changes of this tick into runs, by the usual sizes of groups.
func (w *Encoder) Partition() {
	r := &w.Runs
	if r.begun {
		return
	}
	r.begun = true
	r.ValuesOnly.Grow(len(w.state.Changed.Public) * 64)
	copy(r.ValuesOnly, w.state.Changed.Public)
	r.ValuesOnly.Drop(w.state.Changed.Reshaped)
	left := 0
	var last *SharedRun
	for h := r.ValuesOnly.Next(0); h >= 0; h = r.ValuesOnly.Next(h + 1) {
		id := w.state.Public.Groups[h]
		bits := 2 + w.BitsOf(&w.Chunks.List[w.Chunk(id, w.likelyBaseline(h, id), 0)])
		if last == nil || bits > left {
			last, left = r.fresh(w.state.Tick), maxRunBytes*8-repl.EndBits
			last.Dense = true
			r.Now = append(r.Now, last)
		} else if repl.Handle(h) != last.Last()+1 {
			last.Dense = false
		}
		last.Groups = append(last.Groups, repl.Handle(h))
		left -= bits
	}
	w.encodePrivate()
}

// likelyBaseline returns the usual baseline of a public group. With differences no two baselines serve each other, and it
// returns that of the first peer for which only values of the group are unsent, if there is one.
func (w *Encoder) likelyBaseline(h int, id ident.GroupIndex) repl.From {
	if w.differ != nil {
		for _, p := range w.state.Peers {
			if p.Public.IsSteady(h) && p.Public.Base[h].Before(w.state.Groups[id].Changed) {
				return p.Public.Baseline(h)
			}
		}
	}
	return repl.From{Base: w.state.UsualBase(id)}
}

// encodePrivate encodes the private groups that changed in values alone and that a peer sees, from the
// usual baseline. In the order of their changes they are near each other in memory, unlike in the order of
// the handles by which each peer plans them (case tick-views/own).
func (w *Encoder) encodePrivate() {
	if w.differ != nil {
		return // a baseline serves no other
	}
	for _, id := range w.state.Changed.Private {
		if gr := &w.state.Groups[id]; gr.Shaped != w.state.Tick && slices.ContainsFunc(gr.Viewers, ident.Viewer.Shown) {
			w.Chunk(id, repl.From{Base: w.state.UsualBase(id)}, 0)
		}
	}
}
