package receiver

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
)

// updateReader reads frames of updates and marks.
type updateReader struct {
	*replica
	rec  repl.Record // the current one
	left int         // groups that the frame may still have in plain blocks

	// Of the current plain block, which has groups with values of member 0 alone, all of the same
	// components:
	comps   set.Mask
	handles []repl.Handle
	slots   []repl.Slot     // of the groups that take their update now
	before  []entangle.Tick // the ticks of their replicas
}

// maxBare bounds the groups of plain blocks in a frame beyond one for each bit. Values take no bits if
// no field of their type is sent, and an honest frame has few of them.
const maxBare = 4 * repl.MaxBlock

// read reads a frame of a packet that was sent at tick: runs of updates, and marks.
func (u *updateReader) read(tick entangle.Tick, frame []byte) error {
	in := &u.bodies.in
	in.Reset(frame)
	u.left = in.RemainingBits() + maxBare
	u.confirmed.BeginFrame()
	for in.RemainingBits() > 0 {
		if !in.Bool() {
			if err := u.readRun(tick); err != nil {
				return err
			}
		} else if !u.confirmed.ReadMark(in, tick, &u.groups) {
			return ErrMalformed
		}
	}
	u.despawnAbandoned(tick)
	return malformedIf(in.Err() != nil)
}

func (u *updateReader) readRun(tick entangle.Tick) error {
	in, run, rec := &u.bodies.in, repl.RunHeads{Tick: tick}, &u.rec
	more, ok := true, run.ReadBegin(in, rec)
	for ; more && ok; more, ok = run.ReadNext(in, rec) {
		var err error
		if plain := in.Bool(); plain {
			err = u.plainBlock(&run, rec)
		} else {
			err = u.update(rec)
		}
		if err != nil {
			return err
		}
	}
	return malformedIf(!ok)
}

// plainBlock applies a plain block: stretches of groups that take their update now by
// Updater.UpdateBlock, and others one by one.
func (u *updateReader) plainBlock(run *repl.RunHeads, rec *repl.Record) error {
	if ok := u.readBlock(run, rec.Group); !ok {
		return ErrMalformed
	}
	for handles := u.handles; len(handles) > 0; {
		taken, err := u.updateBlock(rec, handles)
		if err != nil {
			return err
		}
		if handles = handles[taken:]; taken > 0 {
			continue
		}
		rec.Group, handles = handles[0], handles[1:]
		u.bodies.bare = &u.comps
		err = u.update(rec)
		if u.bodies.bare = nil; err != nil {
			return err
		}
	}
	return malformedIf(u.bodies.in.Err() != nil)
}

// readBlock reads the components and the handles of a plain block.
func (u *updateReader) readBlock(run *repl.RunHeads, h repl.Handle) (ok bool) {
	in := &u.bodies.in
	n, gaps, ok := run.ReadCount(in)
	if u.left -= n; !ok || u.left < 0 || !u.bodies.sets.Read(in, &u.comps) || u.comps.IsZero() {
		return false
	}
	handles := slices.Grow(u.handles[:0], n)[:n]
	for i := range handles {
		handles[i] = h + repl.Handle(i)
	}
	for i := 1; gaps && i < n; i++ {
		if handles[i], ok = run.ReadGap(in); !ok {
			return false
		}
	}
	u.handles = handles
	run.Skip(handles[n-1])
	return true
}

// updateBlock applies the updates of the first groups of a plain block in one call, and returns how many
// it consumed. It stops before a group that does not take its update now.
func (u *updateReader) updateBlock(rec *repl.Record, handles []repl.Handle) (taken int, err error) {
	if u.bodies.updater == nil {
		return 0, nil
	}
	replicaTick := u.collectSlots(rec, handles)
	if len(u.slots) == 0 {
		return 0, nil
	}
	u.bodies.refs = u.bodies.refs[:0]
	u.bodies.beginRecord(rec, replicaTick, true)
	taken, err = u.bodies.updater.UpdateBlock(u.slots, u.before, rec.Tick, &u.comps, &u.bodies.in, &u.bodies)
	u.setTicks(rec.Tick, handles[:taken])
	u.stats.Updates += uint64(taken)
	return taken, err
}

// collectSlots collects the slots of the first groups that take an update of a tick and baseline now. Where
// values are sent as differences their replicas are of one tick, which it returns.
func (u *updateReader) collectSlots(rec *repl.Record, handles []repl.Handle) (replicaTick entangle.Tick) {
	slots, before, n := slices.Grow(u.slots[:0], len(handles))[:len(handles)], slices.Grow(u.before[:0], len(handles))[:len(handles)], 0
	takes := span{first: rec.Base, ticks: uint32(rec.Tick - rec.Base), narrow: u.bodies.differ != nil}
	for n < len(handles) {
		cache, page := u.groups.cacheOf(handles[n:])
		taken := takes.copySlots(slots[n:], before[n:], cache, page)
		if n += taken; taken == len(page) && taken > 0 {
			continue
		}
		if len(page) == 0 || cache[handles[n]%pageSize].slot != repl.NoSlot || !u.groups.cacheGroup(handles[n]) {
			break
		}
	}
	u.slots, u.before = slots[:n], before[:n]
	return takes.first
}

// span is the ticks of the replicas that take an update: from its baseline to before its own, as group.judge says.
type span struct {
	first  entangle.Tick
	ticks  uint32
	narrow bool // all take it at the tick of the first that does
}

// copySlots copies the slots and ticks of groups of one page, up to the first that is not cached or does not take
// the update. No function is called for a group: most updates of a game pass here (case receive/pose).
func (s *span) copySlots(slots []repl.Slot, before []entangle.Tick, cache *[pageSize]cached, handles []repl.Handle) (n int) {
	slots, before = slots[:len(handles)], before[:len(handles)]
	first, ticks := s.first, s.ticks
	for i, h := range handles {
		c := &cache[h%pageSize]
		if c.slot == repl.NoSlot || uint32(c.tick-first) >= ticks {
			return i
		}
		if slots[i], before[i] = c.slot, c.tick; s.narrow {
			first, ticks = c.tick, 1
			s.first, s.ticks = first, ticks
		}
	}
	return len(handles)
}

// setTicks notes the tick of groups that took their updates.
func (u *updateReader) setTicks(tick entangle.Tick, handles []repl.Handle) {
	for len(handles) > 0 {
		cache, page := u.groups.cacheOf(handles)
		for _, h := range page {
			c := &cache[h%pageSize]
			if c.tick = tick; c.slot == repl.NoSlot { // an event's reader asked for the group
				u.groups.find(h).tick = tick
			}
		}
		handles = handles[len(page):]
	}
}

// update reads one record of a run: it applies it, keeps it until it applies, or skips it.
func (u *updateReader) update(rec *repl.Record) error {
	if u.bodies.report != nil {
		return u.bodies.skipRecord(rec)
	}
	g := u.groups.find(rec.Group)
	if (g == nil || !g.known) && u.groups.endedBy(rec.Group, rec.Tick) {
		return u.skipStale(rec)
	}
	if g == nil {
		g = u.groups.add(rec.Group)
	}
	return u.handle(g, rec)
}
