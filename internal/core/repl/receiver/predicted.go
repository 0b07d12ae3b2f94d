package receiver

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// Predictor is a Sink that is told which entities this peer predicts.
type Predictor interface {
	Sink
	// Predict says, between Begin and Commit, that an entity is predicted from the tick of
	// the record on, or is so no more. It is called where that changes, when all are there
	// that the record brings and before the first value of it is read. A new entity is not
	// predicted, and one that goes has no end of it told.
	Predict(slot repl.Slot, on bool)
}

// foresight is which entities this peer predicts.
type foresight struct {
	sink  Predictor      // nil: it wants to know of none
	said  repl.Predicted // of the record at hand
	slots repl.Bitset
	n     int
	// turned is whose prediction the record at hand began or ended.
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

// undo takes back what the record at hand has turned. The sink does so when it discards.
func (f *foresight) undo() {
	for _, s := range f.turned {
		f.flip(s)
	}
	f.turned = f.turned[:0]
}

// forget takes in that an entity is no more.
func (f *foresight) forget(s repl.Slot) {
	if f.slots.Has(int(s)) {
		f.flip(s)
	}
}

// Predicts reports whether this peer predicts an entity, as far as a Predictor was told.
func (r *Receiver) Predicts(s repl.Slot) bool { return r.foresight.slots.Has(int(s)) }

// readPredicted reads whom of the group this peer predicts. A full that says nothing says
// nobody, and so none says nobody.
func (w *walker) readPredicted() (ok bool) {
	said := &w.r.foresight.said
	if !said.Read(&w.r.in) {
		return false
	}
	return w.rec.Kind != repl.Full || !said.Said || said.All || len(said.Members) > 0
}

// predict tells the sink of it, when all who join are in place.
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

// judgePredicted looks for numbers that are nobody's after the record at hand. One that
// leaves is malformed; one that is not there has the group asked for again, as where it is
// said to have changed.
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
