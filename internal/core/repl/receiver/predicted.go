package receiver

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
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

// foresight is the predicted set of this peer.
type foresight struct {
	sink  Predictor      // nil: it does not use predicted sets
	said  repl.Predicted // of the current record
	slots repl.Bitset
	n     int
	// turned is the entities of which the current record began or ended the prediction.
	turned []repl.Slot
}

// turn begins or ends the prediction of an entity.
func (f *foresight) turn(s repl.Slot, on bool) {
	if f.slots.Has(int(s)) == on {
		return
	}
	f.flip(s)
	f.turned = append(f.turned, s)
	f.sink.Predict(s, on)
}

func (f *foresight) flip(s repl.Slot) {
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
func (f *foresight) undo() {
	for _, s := range f.turned {
		f.flip(s)
	}
	f.turned = f.turned[:0]
}

// forget removes an entity that has ended.
func (f *foresight) forget(s repl.Slot) {
	if f.slots.Has(int(s)) {
		f.flip(s)
	}
}

// Predicts reports whether this peer predicts an entity, as last passed to a Predictor.
func (r *Receiver) Predicts(s repl.Slot) bool { return r.foresight.slots.Has(int(s)) }

// readPredicted reads the predicted set of the group. A full without one states the empty set.
func (w *walker) readPredicted() (ok bool) {
	said := &w.r.foresight.said
	if !said.Read(&w.r.in) {
		return false
	}
	return w.rec.Kind != repl.Full || !said.Said || said.All || len(said.Members) > 0
}

// predict passes it to the sink, when all joining entities are in place.
func (w *walker) predict() error {
	f := &w.r.foresight
	if w.skip || !f.said.Said && f.n == 0 {
		return nil
	}
	if err := w.judgePredicted(); err != nil || f.sink == nil {
		return err
	}
	for i := range w.g.members {
		m := &w.g.members[i]
		_, goes := w.fate(m)
		if stays := m.mark == unmarked; goes || stays && !f.said.Said {
			continue
		}
		f.turn(m.slot, f.said.Said && f.said.Has(m.number))
	}
	return nil
}

// judgePredicted looks for predicted numbers without a member after the current record. The number
// of a leaver is malformed; for a missing member the group is requested again, as for changes of
// one.
func (w *walker) judgePredicted() error {
	for _, n := range w.r.foresight.said.Members {
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
	dst = slices.Grow(dst, r.foresight.n)
	for s := r.foresight.slots.Next(0); s >= 0; s = r.foresight.slots.Next(s + 1) {
		dst = append(dst, repl.Slot(s))
	}
	return dst
}
