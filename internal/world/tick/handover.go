package tick

import (
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/mlange-42/arche/ecs"
)

// Handover keeps the picture of one component of an entity steady while the entity goes from the past to the
// present, because a client begins to predict it, or back, because it is interpolated from now on. At the
// change, the value on the screen differs from the new value by what was on the screen before. That offset
// goes to zero, at first and at the end slowly, so that the speed on the screen has no step either.
type Handover struct {
	handoverKey
	cells       columns.Cells
	begun       bool
	interrupted bool // it took the place of one that was in progress
	ended       bool // see EndHandover
	since       time.Time
	over        time.Duration

	was   []byte // the value that was on the screen at the change
	right []byte // the new value of that frame
	truth []byte // the value that is put back
	shown []byte // the value on the screen
}

// leastHandover is the shortest time that a handover takes. It takes at least twice the distance of the two
// times between which it changes, so that nothing moves backwards on the screen, and at most mostHandover.
const (
	leastHandover = 250 * time.Millisecond
	mostHandover  = time.Second
)

// maxHandovers bounds the handovers at a time. Further ones are left out: the picture jumps.
const maxHandovers = 4096

// handovers are the handovers in progress.
type handovers struct {
	list   []*Handover
	of     map[handoverKey]*Handover // list
	unused []*Handover
	writer *columns.Writer
}

type handoverKey struct {
	entity ecs.Entity
	info   *registry.Component
}

// HandOver begins a handover of a component of an entity, before the change takes place. ticks is the distance
// between the times at which the entity is shown before and after the change. It returns nil if the component
// is not blended, or if there are too many handovers.
func (d *Display) HandOver(w *ecs.World, e ecs.Entity, info *registry.Component, ticks int32) *Handover {
	id := ecs.TypeID(w, info.Type)
	if info.Blend == nil || !w.Has(e, id) {
		return nil
	}
	if d.handovers.writer == nil {
		d.handovers.writer = columns.NewWriter(w)
	}
	key := handoverKey{e, info}
	h := d.handovers.of[key]
	if h == nil {
		if h = d.handovers.add(key); h == nil {
			return nil
		}
		h.cells = d.handovers.writer.Cells(id)
		h.shown = append(h.shown[:0], h.cells.Bytes(h.cells.At(e))...)
		for _, painter := range d.painters {
			if value, ok := painter.Displayed(e, id); ok {
				copy(h.shown, value)
			}
		}
	}
	h.interrupted = len(h.truth) > 0
	h.was, h.begun, h.ended = append(h.was[:0], h.shown...), false, false
	h.over = min(max(leastHandover, 2*time.Duration(max(ticks, -ticks))*d.time.Step), mostHandover)
	return h
}

// SetFormer sets the value that would have been shown in this frame without the change, if it is known.
// Otherwise the value of the last frame stands in, so that the entity stands still for a frame. If another
// handover was in progress, what was left of its offset in the last frame is added.
func (h *Handover) SetFormer(value []byte) {
	switch {
	case !h.interrupted:
		copy(h.was, value)
	case h.info.Carry != nil:
		copy(h.was, value)
		h.info.Carry(h.was, h.truth, h.shown, 1)
	}
}

// SetNew sets the value that would have been on the screen in the last frame with the change, if it is known.
func (d *Display) SetNew(h *Handover, value []byte) {
	h.begun, h.since, h.right = true, d.before, append(h.right[:0], value...)
}

// EndHandover ends the handover of a component of an entity, if one is in progress: its true value is shown from this
// frame on.
func (d *Display) EndHandover(e ecs.Entity, info *registry.Component) {
	if h := d.handovers.of[handoverKey{e, info}]; h != nil {
		h.ended = true
	}
}

// add returns a new handover, nil if there are too many.
func (l *handovers) add(key handoverKey) (h *Handover) {
	switch n := len(l.unused); {
	case len(l.list) == maxHandovers:
		return nil
	case n > 0:
		h, l.unused = l.unused[n-1], l.unused[:n-1]
		h.truth = h.truth[:0]
	default:
		h = &Handover{}
	}
	if l.of == nil {
		l.of = map[handoverKey]*Handover{}
	}
	l.list, l.of[key], h.handoverKey = append(l.list, h), h, key
	return h
}

// show writes the values for the screen over those that the painters have shown.
func (l *handovers) show(now time.Time) {
	kept := l.list[:0]
	for _, h := range l.list {
		if h.show(now) {
			kept = append(kept, h)
		} else {
			delete(l.of, h.handoverKey)
			l.unused = append(l.unused, h)
		}
	}
	l.list = kept
}

// show reports whether the handover goes on.
func (h *Handover) show(now time.Time) bool {
	place := h.cells.Find(h.entity)
	if place == nil || h.ended {
		return false
	}
	value := h.cells.Bytes(place)
	h.truth = append(h.truth[:0], value...)
	if !h.begun {
		h.begun, h.since, h.right = true, now, append(h.right[:0], value...)
	}
	if h.info.TooFar != nil && h.info.TooFar(h.was, h.right) {
		return false
	}
	left := remainder(now.Sub(h.since), h.over)
	if left <= 0 {
		return false
	}
	if h.info.Carry != nil {
		h.info.Carry(value, h.right, h.was, left)
	} else {
		h.info.Blend(value, h.truth, h.was, left)
	}
	h.shown = append(h.shown[:0], value...)
	return true
}

// remainder returns the share of an offset that is left. It has no slope at both ends.
func remainder(passed, over time.Duration) float64 {
	if passed < 0 || passed >= over {
		return 0
	}
	x := float64(passed) / float64(over)
	return 1 - x*x*(3-2*x)
}

// restore puts the values back that show has replaced, where the game has not written others.
func (l *handovers) restore() {
	for _, h := range l.list {
		place := h.cells.Find(h.entity)
		if place == nil || !h.begun {
			continue
		}
		if value := h.cells.Bytes(place); string(value) == string(h.shown) {
			copy(value, h.truth)
		}
	}
}

// Distance returns the number of ticks from a shown tick to the present one.
func (d *Display) Distance(shown entangle.Tick) int32 { return d.time.Tick.Sub(shown) }

// Simulated returns the value that is put back at the beginning of the next frame, of a component of an entity
// that a handover shows otherwise. ok is false if none does.
func (d *Display) Simulated(e ecs.Entity, info *registry.Component) (value []byte, ok bool) {
	h := d.handovers.of[handoverKey{e, info}]
	if h == nil || !h.begun {
		return nil, false
	}
	return h.truth, true
}
