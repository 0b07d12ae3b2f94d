package sender

import "github.com/entangle-ecs/entangle/internal/core/repl"

// copied is the body of a run behind its head, for the baselines of a span.
type copied struct {
	bases      span
	apart      uint8
	off, bytes int
	alike      bool
}

// serves reports whether a copy is right for a peer with a baseline.
func (c *copied) serves(from repl.From) bool {
	return c.apart == from.Apart && c.bases.contains(from.Base)
}

// maxCopies bounds the copies of a run, for different spans of baselines, in one tick.
const maxCopies = 16

// copyOf returns the body of a run for a peer with a baseline, or nil when the run has no common
// form for it.
func (w *World) copyOf(r *run, from repl.From) *copied {
	for i := range r.made {
		if r.made[i].serves(from) {
			return w.again(r, &r.made[i], from)
		}
	}
	if r.failed || len(r.made) == maxCopies {
		return nil
	}
	made, ok := w.write(r, from)
	if !ok {
		r.failed = true
		return nil
	}
	r.made = append(r.made, made)
	return &r.made[len(r.made)-1]
}

// again returns an existing copy; with Unrun it writes the copy once more.
func (w *World) again(r *run, made *copied, from repl.From) *copied {
	if w.unshared {
		*made, _ = w.write(r, from)
	}
	return made
}

// write makes a copy of a run for one baseline. It is not ok when the copy does not fit, or when
// peers refer to its references by different ids.
func (w *World) write(r *run, from repl.From) (made copied, ok bool) {
	out := &w.runs.w
	made = copied{bases: allTime(w.tick), apart: from.Apart, off: len(w.runs.arena), alike: w.alike(r, from)}
	out.Reset(w.runs.arena)
	if made.alike {
		w.writeAlike(r, from, &made)
		return made, made.bytes <= maxRunBytes
	}
	wire := repl.Run{Tick: w.tick}
	wire.Enter(r.groups[0], from)
	for i, h := range r.groups {
		if i > 0 {
			wire.Append(out, h, from)
		}
		same, fits := w.writeRecord(h, from)
		if made.bases.meet(same); !fits || out.LenBits() > maxRunBytes*8-repl.EndBits {
			return copied{}, false
		}
	}
	wire.End(out)
	w.runs.arena = out.Finish()
	made.bytes = len(w.runs.arena) - made.off
	return made, true
}

// alike reports whether the updates of a run's groups are equal in everything before their values.
func (w *World) alike(r *run, from repl.From) bool {
	if len(r.groups) > repl.MaxAlike {
		return false
	}
	first := w.chunk(w.public[r.groups[0]], from)
	if first == nil || first.kind == 0 {
		return false
	}
	kind := first.kind
	for _, h := range r.groups[1:] {
		c := w.chunk(w.public[h], from)
		if c == nil || c.kind != kind {
			return false
		}
	}
	return true
}

// writeAlike writes a run of groups that are alike.
func (w *World) writeAlike(r *run, from repl.From, made *copied) {
	out := &w.runs.w
	repl.AppendCount(out, len(r.groups))
	kind := w.chunk(w.public[r.groups[0]], from).kind
	prefix := w.kinds.prefix(kind)
	w.kinds.appendSet(out, kind)
	if !r.dense {
		w.writeGaps(r)
	}
	for _, h := range r.groups {
		c := w.chunk(w.public[h], from)
		made.bases.meet(c.bases)
		w.chunks.appendValues(out, c.at, c.width, prefix)
	}
	w.runs.arena = out.Finish()
	made.bytes = len(w.runs.arena) - made.off
}

// writeGaps writes the handles of a run.
func (w *World) writeGaps(r *run) {
	wire := repl.Run{Tick: w.tick}
	wire.Enter(r.groups[0], repl.From{})
	for _, h := range r.groups[1:] {
		wire.AppendGap(&w.runs.w, h)
	}
}

// writeRecord writes a group's record in a run from a baseline on, and returns the baselines for
// which it is the same.
func (w *World) writeRecord(h repl.Handle, from repl.From) (same span, ok bool) {
	id := w.public[h]
	if c := w.chunk(id, from); c != nil {
		w.chunks.append(&w.runs.w, c.at, c.width)
		return c.bases, true
	}
	b := w.body(id, w.updateKey(from, 0))
	return b.bases, b.some && w.copyBody(b)
}

// copyBody writes a body into the current run, with the public ids of its references.
func (w *World) copyBody(b *body) bool {
	out := &w.runs.w
	slots := w.bodies.slotsOf(b)
	out.Bool(len(slots) > 0)
	if len(slots) > 0 {
		out.Uvarint(uint64(len(slots)))
	}
	for _, s := range slots {
		id, ok := w.ID(s)
		if !ok {
			return false
		}
		repl.AppendRef(out, repl.Ref{ID: id})
	}
	out.Copy(w.bodies.bytes(b), b.width)
	return true
}

// meet reduces s to its intersection with o.
func (s *span) meet(o span) {
	if s.lo.Before(o.lo) {
		s.lo = o.lo
	}
	if o.hi.Before(s.hi) {
		s.hi = o.hi
	}
}
