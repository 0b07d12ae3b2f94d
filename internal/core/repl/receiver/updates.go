package receiver

import (
	"errors"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// HandleUpdates takes an updates frame of a packet that was sent at tick.
func (r *Receiver) HandleUpdates(tick entangle.Tick, frame []byte) error {
	r.in.Reset(frame)
	r.plain.left = r.in.RemainingBits() + maxBare
	r.hear(tick)
	r.confirmed.BeginFrame()
	for r.in.RemainingBits() > 0 {
		if err := r.item(tick); err != nil {
			return err
		}
	}
	if r.in.Err() != nil {
		return ErrMalformed
	}
	return r.settle()
}

// item reads one run or mark.
func (r *Receiver) item(tick entangle.Tick) error {
	if r.in.Bool() {
		return malformedIf(!r.confirmed.ReadMark(&r.in, tick, &r.groups))
	}
	run, rec := repl.Run{Tick: tick}, &r.rec
	more, ok := true, run.ReadBegin(&r.in, &rec.Record)
	for ; more && ok; more, ok = run.ReadNext(&r.in, &rec.Record) {
		if err := r.block(&run, rec); err != nil {
			return err
		}
	}
	return malformedIf(!ok)
}

func (r *Receiver) block(run *repl.Run, rec *record) error {
	if r.in.Bool() {
		return r.plainBlock(run, rec)
	}
	return r.update(rec)
}

// maxBare bounds the groups of plain blocks in a frame beyond one for each bit. Values take no bits if
// no field of their type is sent, and an honest frame has few of them.
const maxBare = 4 * repl.MaxBlock

// plain is a plain block: groups with values of member 0 alone, all of the same components.
type plain struct {
	left    int // groups that the frame may still have in plain blocks
	set     set.Mask
	handles []repl.Handle
	slots   []repl.Slot // of the groups that take their update now
	raw     []byte
	body    bits.Writer
	buf     []byte
}

// plainBlock applies a plain block: stretches of groups that take their update now by
// Updater.UpdateRun, and others by apart.
func (r *Receiver) plainBlock(run *repl.Run, rec *record) error {
	if ok := r.readBlock(run, rec.Group); !ok {
		return ErrMalformed
	}
	for handles := r.plain.handles; len(handles) > 0; {
		taken, err := r.updateRun(rec, handles)
		if err != nil {
			return err
		}
		if handles = handles[taken:]; taken > 0 {
			continue
		}
		rec.Group, handles = handles[0], handles[1:]
		if err := r.apart(rec); err != nil {
			return err
		}
	}
	return malformedIf(r.in.Err() != nil)
}

// readBlock reads the components and the handles of a plain block.
func (r *Receiver) readBlock(run *repl.Run, h repl.Handle) (ok bool) {
	n, gaps, ok := run.ReadCount(&r.in)
	if r.plain.left -= n; !ok || r.plain.left < 0 || !r.sets.Read(&r.in, &r.plain.set) || r.plain.set.IsZero() {
		return false
	}
	handles := slices.Grow(r.plain.handles[:0], n)[:n]
	for i := range handles {
		handles[i] = h + repl.Handle(i)
	}
	for i := 1; gaps && i < n; i++ {
		if handles[i], ok = run.ReadGap(&r.in); !ok {
			return false
		}
	}
	r.plain.handles = handles
	run.Skip(handles[n-1])
	return true
}

// updateRun applies the updates of the first groups of a plain block in one call, and returns how many
// it consumed. It stops before a group that does not take its update now.
func (r *Receiver) updateRun(rec *record, handles []repl.Handle) (taken int, err error) {
	if r.updater == nil {
		return 0, nil
	}
	held := r.borrow(rec, handles)
	if len(r.plain.slots) == 0 {
		return 0, nil
	}
	r.refs = r.refs[:0]
	r.start(rec, held, true)
	taken, err = r.updater.UpdateRun(r.plain.slots, rec.Tick, &r.plain.set, &r.in, r)
	r.giveBack(rec.Tick, handles[:taken])
	r.stats.Updates += uint64(taken)
	if err != nil && errors.Is(err, ErrBaseline) {
		rec.Group = handles[taken]
		r.misfit(r.groups.get(rec.Group), rec)
		return taken + 1, r.skipValues(rec, &r.plain.set)
	}
	return taken, err
}

// borrow collects the slots of the first groups that take an update of a tick and baseline now, in
// plain.slots. Where values are sent as differences their replicas are of one tick, which it returns.
func (r *Receiver) borrow(rec *record, handles []repl.Handle) (held entangle.Tick) {
	slots, n := slices.Grow(r.plain.slots[:0], len(handles))[:len(handles)], 0
	takes := span{first: rec.Base, ticks: uint32(rec.Tick - rec.Base), narrow: r.differ != nil}
	for n < len(handles) {
		loans, page := r.groups.loansOf(handles[n:])
		taken := takes.copySlots(slots[n:], loans, page)
		if n += taken; taken == len(page) && taken > 0 {
			continue
		}
		if len(page) == 0 || loans[handles[n]%pageSize].slot != repl.NoSlot || !r.groups.lend(handles[n]) {
			break
		}
	}
	r.plain.slots = slots[:n]
	return takes.first
}

// span are the ticks of the replicas that take an update: from its baseline to before its own.
type span struct {
	first  entangle.Tick
	ticks  uint32
	narrow bool // all take it at the tick of the first that does
}

// copySlots copies the slots of groups of one page, up to the first that is not lent or does not take
// the update. No function is called for a group: most updates of a game pass here.
func (s *span) copySlots(slots []repl.Slot, loans *[pageSize]loan, handles []repl.Handle) (n int) {
	slots = slots[:len(handles)]
	first, ticks := s.first, s.ticks
	for i, h := range handles {
		l := &loans[h%pageSize]
		if l.slot == repl.NoSlot || uint32(l.held-first) >= ticks {
			return i
		}
		if slots[i] = l.slot; s.narrow {
			first, ticks = l.held, 1
			s.first, s.ticks = first, ticks
		}
	}
	return len(handles)
}

// giveBack notes the tick of groups that took their updates.
func (r *Receiver) giveBack(tick entangle.Tick, handles []repl.Handle) {
	for len(handles) > 0 {
		loans, page := r.groups.loansOf(handles)
		for _, h := range page {
			l := &loans[h%pageSize]
			if l.held = tick; l.slot == repl.NoSlot { // an event's reader asked for the group
				r.groups.get(h).held = tick
			}
		}
		handles = handles[len(page):]
	}
}

// apart passes the next record of a plain block to update, in the form of a block of its own.
func (r *Receiver) apart(rec *record) error {
	p := &r.plain
	width, err := r.lift(rec, &p.set)
	if err != nil {
		return err
	}
	p.body.Reset(p.buf[:0])
	p.body.Bits(0b10, 2) // no references, alone
	r.sets.Append(&p.body, &p.set)
	p.body.Copy(p.raw, width)
	p.buf = p.body.Finish()
	behind := r.in
	r.in.Reset(p.buf)
	err = r.update(rec)
	r.in = behind
	return err
}

// lift reads past the values of a record that consists of nothing else, for the components of a set,
// and copies their bits to plain.raw.
func (r *Receiver) lift(rec *record, comps *set.Mask) (width int, err error) {
	p, start := &r.plain, r.in
	if err := r.skipValues(rec, comps); err != nil {
		return 0, err
	}
	width = start.RemainingBits() - r.in.RemainingBits()
	p.raw = append(p.raw[:0], make([]byte, (width+7)/8)...)
	start.Copy(p.raw, width)
	return width, nil
}

// skipValues reads past the values of a set.
func (r *Receiver) skipValues(rec *record, comps *set.Mask) error {
	r.start(rec, 0, false)
	for c := comps.Next(0); c >= 0; c = comps.Next(c + 1) {
		if err := r.sink.Skip(&r.in, c); err != nil {
			return err
		}
	}
	return nil
}

// leads reports whether the first member is number 0.
func (g *group) leads() bool { return len(g.members) > 0 && g.members[0].number == 0 }

// update reads one record of a run: it applies it, keeps it until it applies, or skips it.
func (r *Receiver) update(rec *record) error {
	g := r.groups.get(rec.Group)
	if (g == nil || !g.known) && r.stale(rec) {
		r.stats.Stale++
		return r.skip(rec)
	}
	if g == nil {
		if g = r.groupFor(rec); g == nil {
			return r.overflow(rec)
		}
	}
	switch judge(&g.state, rec) {
	case apply:
		if err := r.apply(g, rec); err != nil {
			return err
		}
		return r.release(rec.Group)
	case wait:
		r.confirmed.NotApplied(rec.Group, rec.Tick)
		r.needs = r.needs[:0]
		return r.hold(g, rec)
	default:
		r.stats.Stale++
		return r.skip(rec)
	}
}

// overflow drops an update for which there is no room. Its sender resends the changes when the
// group's first full has been acknowledged.
func (r *Receiver) overflow(rec *record) error {
	r.stats.Overflow++
	r.confirmed.NotApplied(rec.Group, rec.Tick)
	return r.skip(rec)
}
