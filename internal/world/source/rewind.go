package source

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/core/rewind"
	"github.com/entangle-ecs/entangle/internal/core/snapshot"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Rewind keeps the values of the last ticks, and shows them as a client's screen showed them.
type Rewind struct {
	collector *Collector
	history   *rewind.History
	cols      []int // columns that are kept
	chosen    []int // those of components with the option Rewind
	ticks     int   // by how many ticks a view may be in the past
	stats     Rewinds
	kept      keptEntities
	present   rewind.View // of those who see the present
	presentAt entangle.Tick
	viewer    viewer // scratch, which would be allocated otherwise
	presented bool   // there is a view of presentAt
}

// Rewinds counts views.
type Rewinds struct {
	Views    uint64 // of a client's screen
	Clamped  uint64 // of them, those with a time that was not possible
	Repeated uint64 // of them, those of an input that did not arrive
	Present  uint64 // views of the present, of players who see that
	Waited   uint64 // entities in views that moved after an update that was late, or after a rest
	Targets  uint64 // all entities in views that were not taken at the present
}

// marginTicks is for how many more ticks values are kept than a view may be in the past: an entity is shown
// between two updates.
const marginTicks = 32

// NewRewind returns the history of components with the option Rewind, for a number of ticks. It is nil if
// there are none.
func (c *Collector) NewRewind(infos []*registry.Component, tickRate, ticks int) *Rewind {
	r := &Rewind{collector: c, ticks: ticks}
	kinds := make([]snapshot.Kind, len(infos))
	for i, info := range infos {
		if info.Rewind {
			r.chosen = append(r.chosen, i)
			r.keep(kinds, infos, i, tickRate)
		}
	}
	if len(r.chosen) == 0 {
		return nil
	}
	if !r.Compensates() {
		r.history = rewind.NewHistory(kinds, tickRate, 2)
		return r
	}
	r.history = rewind.NewHistory(kinds, tickRate, ticks+marginTicks)
	r.history.SetReach(ticks)
	c.World.RecordReceived(func(s repl.Slot) (rewind.Target, set.Mask) {
		t := rewind.Target{Slot: uint32(s), Entity: columns.PackEntity(c.Table.Entity(columns.Slot(s)))}
		return t, c.Visibility.Overrides.WithheldOf(s)
	})
	return r
}

// keep adds a component to those that are kept, and the one that it is blended with.
func (r *Rewind) keep(kinds []snapshot.Kind, infos []*registry.Component, comp, tickRate int) {
	if kinds[comp].Size > 0 {
		return
	}
	info := infos[comp]
	k := snapshot.Kind{Size: info.Plan.Size()}
	if info.Interpolate == registry.Full {
		k.Blend, k.Each, k.Curve, k.With = info.Blend, info.Each, info.Curve, info.With
		k.Discrete, k.TooFar = info.Discrete, info.TooFar
		k.Extrapolate = snapshot.TicksOf(info.Extrapolate, tickRate)
	}
	kinds[comp] = k
	r.cols = append(r.cols, comp)
	if k.Curve != nil {
		r.keep(kinds, infos, k.With, tickRate)
	}
}

// Record keeps the values at a tick. sent says that clients are sent them. The rows of the table must be up to date.
func (r *Rewind) Record(tick entangle.Tick, sent bool) {
	t, h := r.collector.Table, r.history
	h.Begin(tick, t.Slots())
	if sent {
		h.MarkSent()
	}
	for _, col := range r.cols {
		t.Save(col, h.Row(col))
	}
	for segment := range t.Segments() {
		rows, mask := t.Rows(segment)
		for _, col := range r.cols {
			if mask.Has(col) {
				rewind.MarkPresent(h, col, rows)
			}
		}
	}
	for s, withheld := range r.collector.Visibility.Overrides.withheld {
		h.Withhold(uint32(s), withheld)
	}
	for s, n := range r.collector.teleports.counts {
		if n > 0 {
			h.SetTeleports(uint32(s), n)
		}
	}
}

// Compensates reports whether any view may be in the past.
func (r *Rewind) Compensates() bool { return r.ticks > 0 }

// Sync makes the rows of the table up to date.
func (r *Rewind) Sync() error { return r.collector.Table.Sync() }

// Bytes returns the memory of the history.
func (r *Rewind) Bytes() int { return r.history.Bytes() }

// Stats returns the counters.
func (r *Rewind) Stats() *Rewinds { return &r.stats }

// Screen is what a client's screen showed when it made an input.
type Screen interface {
	// At returns the time at which entities with an interval were shown, and whether the client claimed
	// another one that is not possible.
	At(every int) (shown timesync.Shown, clamped bool)
}

// viewer is a client of which a view is made. It asks the Screen once for each interval in a row.
type viewer struct {
	rewind  *Rewind
	client  entangle.ClientID
	peer    *sender.Peer
	screen  Screen
	oldest  timesync.Shown
	every   int
	shown   timesync.Shown
	clamped bool // any time was
}

// Time implements rewind.Client.
func (v *viewer) Time(every int) timesync.Shown {
	if every == v.every {
		return v.shown
	}
	shown, clamped := v.screen.At(every)
	if shown < v.oldest {
		shown, clamped = v.oldest, true
	}
	v.every, v.shown, v.clamped = every, shown, v.clamped || clamped
	return shown
}

// Find implements rewind.Client.
func (v *viewer) Find(s rewind.Slot, entity uint64) (p rewind.Place, ok bool) {
	c := v.rewind.collector
	at, ok := v.peer.ShownNow(repl.Slot(s))
	now := c.Table.Entity(columns.Slot(s))
	if !ok || columns.PackEntity(now) != entity {
		return rewind.Place{}, false
	}
	gone := at.Ended || v.rewind.hasEnded(repl.Slot(s), now)
	_, joined, _ := c.World.GroupOf(repl.Slot(s))
	return rewind.Place{Group: at.Group, Joined: joined, Gone: gone, Hidden: at.Hidden.Or(c.Visibility.Overrides.WithheldOf(repl.Slot(s)))}, true
}

// View fills a view with what a client's screen showed, for the tick that runs now. It reports whether any
// time was clamped.
func (r *Rewind) View(v *rewind.View, client entangle.ClientID, peer *sender.Peer, screen Screen, now entangle.Tick) (clamped bool) {
	t := &r.viewer
	*t = viewer{rewind: r, client: client, peer: peer, screen: screen, oldest: timesync.ShownAt(now, 0) - timesync.Shown(r.ticks)<<8}
	v.Reset(r.history, peer.Received())
	r.listKept(now)
	for i := range r.kept.stretches {
		r.addStretch(v, &r.kept.stretches[i])
	}
	v.AddDeparted(t)
	r.stats.Views++
	rewound, waited := v.Count()
	r.stats.Targets += uint64(rewound)
	r.stats.Waited += uint64(waited)
	if t.clamped {
		r.stats.Clamped++
	}
	return t.clamped
}

// addStretch adds those entities of a stretch that a client has now.
func (r *Rewind) addStretch(v *rewind.View, st *stretch) {
	t := &r.viewer
	for begin := 0; begin < len(st.Names); {
		n := 0
		if st.plain {
			n = t.peer.HasWhole(st.Group.Index+begin, len(st.Names)-begin)
			if own := slices.Index(st.except[begin:begin+n], t.client); own >= 0 {
				n = own
			}
		}
		if n > 0 {
			part := st.Part(begin, begin+n)
			v.Add(&part, t.Time(st.Every))
		} else {
			n = 1
			part := st.Part(begin, begin+1)
			r.add(v, &part)
		}
		begin += n
	}
}

// add adds one entity if a client has it now.
func (r *Rewind) add(v *rewind.View, e *rewind.Entities) {
	t, s := &r.viewer, repl.Slot(e.Slot)
	at, ok := t.peer.ShownNow(s)
	if !ok {
		return
	}
	hidden := at.Hidden.Or(r.collector.Visibility.Overrides.WithheldOf(s))
	e.Gone, e.Hidden = e.Gone || at.Ended, at.Ended
	if e.Group = at.Group; !r.collector.Visibility.Interpolates(t.client, s) {
		if !e.Gone {
			v.AddPresent(e)
			v.Hide(hidden)
		}
	} else if v.Add(e, t.Time(e.Every)) > 0 {
		v.Hide(hidden)
	}
}

// PresentOf fills a view with the present values of the entities that a client has, for one that has told nothing of its
// screen.
func (r *Rewind) PresentOf(v *rewind.View, peer *sender.Peer, now entangle.Tick) {
	r.stats.Present++
	v.Reset(r.history, peer.Received())
	r.listKept(now)
	for i := range r.kept.stretches {
		st := &r.kept.stretches[i]
		for k := range st.Names {
			s := repl.Slot(st.Slot) + repl.Slot(k)
			if at, ok := peer.ShownNow(s); ok && !at.Ended && !st.Gone {
				part := st.Part(k, k+1)
				v.AddPresent(&part)
				v.Hide(at.Hidden)
			}
		}
	}
}

// Present returns the view of players that see the present.
func (r *Rewind) Present(now entangle.Tick) *rewind.View {
	r.stats.Present++
	v := &r.present
	if r.presented && r.presentAt == now {
		return v
	}
	r.presented, r.presentAt = true, now
	v.Reset(r.history, nil)
	r.listKept(now)
	for i := range r.kept.stretches {
		if st := &r.kept.stretches[i]; !st.Gone {
			v.AddPresent(&st.Entities)
		}
	}
	return v
}
