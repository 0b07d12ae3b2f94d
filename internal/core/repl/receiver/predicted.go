package receiver

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Predictor is a Sink that needs to know the predicted set of this peer.
type Predictor interface {
	Sink
	// Predict starts or ends the prediction of an entity, from the tick of the record on, between
	// Begin and Commit. It is called for changes only, when all entities of the record exist and
	// before its first value is read. A new entity is not predicted; when a predicted entity is
	// removed, Predict is not called.
	Predict(slot repl.Slot, on bool)
}

// predictedSet is the predicted set of this peer.
type predictedSet struct {
	sink   Predictor      // nil: it does not use predicted sets
	stated repl.Predicted // by the current record
	slots  set.Bitset
	n      int
	// changed is the entities of which the current record began or ended the prediction.
	changed []repl.Slot
}

// setPredicted begins or ends the prediction of an entity.
func (f *predictedSet) setPredicted(s repl.Slot, on bool) {
	if f.slots.Has(int(s)) == on {
		return
	}
	f.flip(s)
	f.changed = append(f.changed, s)
	f.sink.Predict(s, on)
}

func (f *predictedSet) flip(s repl.Slot) {
	if f.slots.Has(int(s)) {
		f.slots.Clear(int(s))
		f.n--
	} else {
		f.slots.Grow(int(s) + 1)
		f.slots.Set(int(s))
		f.n++
	}
}

// undo reverts the changes of the current record. The sink does so when it discards.
func (f *predictedSet) undo() {
	for _, s := range f.changed {
		f.flip(s)
	}
	f.changed = f.changed[:0]
}

// forgetSlot removes an entity that has ended.
func (f *predictedSet) forgetSlot(s repl.Slot) {
	if f.slots.Has(int(s)) {
		f.flip(s)
	}
}

// Predicts reports whether this peer predicts an entity, as last passed to a Predictor.
func (r *Receiver) Predicts(s repl.Slot) bool { return r.predicted.slots.Has(int(s)) }

// readPredicted reads the predicted set of the group. A full without one states the empty set.
func (w *walker) readPredicted() (ok bool) {
	stated := &w.r.predicted.stated
	if !stated.Read(&w.r.in) {
		return false
	}
	return w.rec.Kind != repl.Full || !stated.Stated || stated.All || len(stated.Members) > 0
}

// predict passes the predicted set to the sink, when all joining entities are in place.
func (w *walker) predict() error {
	f := &w.r.predicted
	if w.skip || !f.stated.Stated && f.n == 0 {
		return nil
	}
	if err := w.judgePredicted(); err != nil || f.sink == nil {
		return err
	}
	for i := range w.g.members {
		m := &w.g.members[i]
		_, goes := w.fate(m)
		if stays := m.mark == unmarked; goes || stays && !f.stated.Stated {
			continue
		}
		f.setPredicted(m.slot, f.stated.Stated && f.stated.Has(m.number))
	}
	return nil
}

// judgePredicted looks for predicted numbers without a member after the current record. The number
// of a leaver is malformed; for a missing member the group is requested again, as for changes of
// one.
func (w *walker) judgePredicted() error {
	for _, n := range w.r.predicted.stated.Members {
		m := w.g.member(n)
		if m == nil {
			w.r.ask(w.g)
			continue
		}
		if _, goes := w.fate(m); goes {
			return ErrMalformed
		}
	}
	return nil
}

// Predicted appends the slots of all entities that this peer predicts, for tests and
// inspection.
func (r *Receiver) Predicted(dst []repl.Slot) []repl.Slot {
	dst = slices.Grow(dst, r.predicted.n)
	for s := r.predicted.slots.Next(0); s >= 0; s = r.predicted.slots.Next(s + 1) {
		dst = append(dst, repl.Slot(s))
	}
	return dst
}
