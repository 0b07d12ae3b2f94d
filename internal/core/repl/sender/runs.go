package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// run is a packet's worth of public groups that changed in one tick and are due at
// most peers. It is written once for each stretch of bases and copied to all peers
// whose bases lie in it.
type run struct {
	tick   entangle.Tick
	groups []repl.Handle // rising; all that changed from the first to the last
	dense  bool          // their handles have no gaps
	made   []copied
	refers []groupID     // homes of what it refers to
	failed bool          // it was made for a peer and did not fit into a packet
	taken  bool          // a packet may carry it
	news   entangle.Tick // the tick of the change that is longest ago
}

// copied is what stands of a run behind its head, for the bases of a span.
type copied struct {
	bases      span
	apart      uint8
	off, bytes int
	alike      bool
}

// serves reports whether a copy is what a peer of a base needs.
func (c *copied) serves(from repl.From) bool { return c.apart == from.Apart && c.bases.has(from.Base) }

// runs is the partition of what changed in a tick into runs, and those of earlier
// ticks as long as a packet is under way that carried one.
type runs struct {
	now   []*run
	past  []*run // of rising ticks
	spare []*run
	arena []byte
	begun bool
	quiet repl.Bitset // what changed in values alone
	w     pack.Writer
}

// maxRunBytes bounds what stands behind a run's head, so that a packet with nothing
// else in it has room for both as a rule: for a head of six bytes.
const maxRunBytes = repl.MaxUpdateBytes - 6

// maxCopies bounds for how many stretches of bases a run is written in one tick.
const maxCopies = 16

// reset keeps the runs of the last tick that a packet may carry for as long as one is
// under way that is not after it.
func (r *runs) reset(underWay entangle.Tick) {
	for _, run := range r.now {
		if run.taken {
			r.past = append(r.past, run)
		} else {
			r.give(run)
		}
	}
	done := 0
	for done < len(r.past) && r.past[done].tick.Before(underWay) {
		r.give(r.past[done])
		done++
	}
	r.past = r.past[:copy(r.past, r.past[done:])]
	r.now, r.arena, r.begun = r.now[:0], r.arena[:0], false
}

// give keeps the memory of a run for another.
func (r *runs) give(old *run) {
	old.groups, old.made, old.refers = old.groups[:0], old.made[:0], old.refers[:0]
	r.spare = append(r.spare, old)
}

func (r *runs) fresh(tick entangle.Tick) *run {
	n := len(r.spare)
	if n == 0 {
		return &run{tick: tick}
	}
	made := r.spare[n-1]
	r.spare = r.spare[:n-1]
	*made = run{tick: tick, groups: made.groups, made: made.made, refers: made.refers}
	return made
}

// partition divides what changed in this tick into runs, by the size that groups
// usually have.
func (w *World) partition() {
	r := &w.runs
	if r.begun {
		return
	}
	r.begun = true
	r.quiet.Grow(len(w.moved) * 64)
	copy(r.quiet, w.moved)
	r.quiet.Drop(w.reshaped)
	left := 0
	var last *run
	for h := r.quiet.Next(0); h >= 0; h = r.quiet.Next(h + 1) {
		bits := w.usualBits(w.public[h])
		if last == nil || bits > left {
			last, left = r.fresh(w.tick), maxRunBytes*8-repl.EndBits
			last.dense, last.news = true, w.tick
			r.now = append(r.now, last)
		} else if repl.Handle(h) != last.groups[len(last.groups)-1]+1 {
			last.dense = false
		}
		last.groups = append(last.groups, repl.Handle(h))
		if changed := w.groups[w.public[h]].changed; changed.Before(last.news) {
			last.news = changed
		}
		left -= bits
	}
}

// usualBits is what a record of a group takes for a peer of the usual base, with what
// stands before it.
func (w *World) usualBits(id groupID) int {
	from := w.usualFrom(id)
	if c := w.chunk(id, from); c != nil {
		return repl.StepBits + int(c.width)
	}
	return repl.StepBits + w.recordBits(w.body(id, w.updateKey(from, 0)))
}

// usualFrom is what the update of a public group is likely to start from: the tick
// before the first change that it is sent with, or where values are sent as differences
// the base of the first peer that waits for values alone, since no two bases serve each
// other.
func (w *World) usualFrom(id groupID) repl.From {
	if w.differ != nil {
		h := int(w.groups[id].handle)
		for _, p := range w.peers {
			if p.public.steady.Has(h) && p.public.base[h].Before(w.groups[id].changed) {
				return p.public.from(h)
			}
		}
	}
	return repl.From{Base: w.usualBase(id)}
}

// recordBits bounds a record's references and body.
func (w *World) recordBits(b *body) int {
	if b.nrefs == 0 {
		return 1 + b.width
	}
	return 1 + repl.MaxRefBits*(b.nrefs+1) + b.width
}

// copyOf returns what is to stand behind a run's head for a peer of that base, or
// nil when the run has no one form for it.
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

// again returns a copy that was made, or in the plain twin makes it anew.
func (w *World) again(r *run, made *copied, from repl.From) *copied {
	if w.unshared {
		*made, _ = w.write(r, from)
	}
	return made
}

// write makes a copy of a run for one base. It is not ok when it does not fit, or
// when peers name what it refers to differently.
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
		same, fits := w.writeRecord(r, h, from)
		if made.bases.meet(same); !fits || out.LenBits() > maxRunBytes*8-repl.EndBits {
			return copied{}, false
		}
	}
	wire.End(out)
	w.runs.arena = out.Finish()
	made.bytes = len(w.runs.arena) - made.off
	return made, true
}

// alike reports whether the groups of a run have all in common that stands before
// their values.
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

// writeRecord writes what stands of a group in a run from a base on, and returns the
// bases for which that is the same.
func (w *World) writeRecord(r *run, h repl.Handle, from repl.From) (same span, ok bool) {
	id := w.public[h]
	if c := w.chunk(id, from); c != nil {
		w.chunks.append(&w.runs.w, c.at, c.width)
		return c.bases, true
	}
	b := w.body(id, w.updateKey(from, 0))
	return b.bases, b.some && w.copyBody(r, b)
}

// copyBody writes a body into the run at hand, with the public names of what it
// refers to.
func (w *World) copyBody(r *run, b *body) bool {
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
		r.refers = append(r.refers, w.slots.home[s])
	}
	out.Copy(w.bodies.bytes(b), b.width)
	return true
}

// meet leaves what lies in both spans.
func (s *span) meet(o span) {
	if s.lo.Before(o.lo) {
		s.lo = o.lo
	}
	if o.hi.Before(s.hi) {
		s.hi = o.hi
	}
}

// takes reports whether a peer lacks every group of a run and has the structure of
// each, and returns what the oldest of its bases and the newest are.
func (p *Peer) takes(r *run) (from repl.From, newest entangle.Tick, ok bool) {
	sp, first, last := &p.public, r.groups[0], r.groups[len(r.groups)-1]
	lacks := p.world.runs.quiet
	for i := first >> 6; i <= last>>6; i++ {
		word := lacks[i] & within(i, first, last)
		if word&^(sp.due[i]&sp.steady[i]) != 0 {
			return from, 0, false
		}
	}
	if from.Base, newest, ok = p.basesOf(r); ok && sp.apart != nil {
		from.Apart, ok = sp.apartOf(r)
	}
	return from, newest, ok
}

// apartOf returns how far the bases before those of a run's groups are, if that is the
// same for all.
func (sp *space) apartOf(r *run) (apart uint8, ok bool) {
	apart = sp.apart[r.groups[0]]
	for _, h := range r.groups {
		if sp.apart[h] != apart {
			return 0, false
		}
	}
	return apart, true
}

// within returns the bits of word i of a set that lie from first to last.
func within(i, first, last repl.Handle) uint64 {
	mask := ^uint64(0)
	if i == first>>6 {
		mask &= ^uint64(0) << (first & 63)
	}
	if i == last>>6 {
		mask &= ^uint64(0) >> (63 - last&63)
	}
	return mask
}

// basesOf returns the oldest and the newest base of a run's groups. An update that
// starts from the oldest for all applies to each, unless that is older than an
// action which the peer has to apply before.
func (p *Peer) basesOf(r *run) (oldest, newest entangle.Tick, ok bool) {
	sp := &p.public
	if !r.dense {
		return p.spreadOf(r)
	}
	first, end := r.groups[0], r.groups[len(r.groups)-1]+1
	base := sp.base[first:end]
	if one := base[0]; allEqual(base, one) && !one.Before(sp.acted) {
		return one, one, true
	}
	return p.spreadOf(r)
}

// allEqual reports whether all ticks are the one: as a rule those of a run are, since
// they were acknowledged together.
func allEqual(ticks []entangle.Tick, one entangle.Tick) bool {
	differ := entangle.Tick(0)
	for ; len(ticks) >= 8; ticks = ticks[8:] {
		t := (*[8]entangle.Tick)(ticks)
		differ |= (t[0] ^ one) | (t[1] ^ one) | (t[2] ^ one) | (t[3] ^ one) | (t[4] ^ one) | (t[5] ^ one) | (t[6] ^ one) | (t[7] ^ one)
	}
	for _, t := range ticks {
		differ |= t ^ one
	}
	return differ == 0
}

// spreadOf is basesOf for bases that differ.
func (p *Peer) spreadOf(r *run) (oldest, newest entangle.Tick, ok bool) {
	sp, now := &p.public, p.world.tick
	young, old, action := ^uint32(0), uint32(0), ^uint32(0) // as ages
	for _, h := range r.groups {
		age := uint32(now - sp.base[h])
		young, old, action = min(young, age), max(old, age), min(action, uint32(now-sp.shaped[h]))
	}
	return now - entangle.Tick(old), now - entangle.Tick(young), old <= action
}
