package columns

import (
	"bytes"

	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// parking keeps the known state of a slot while its entity has no marker.
type parking struct {
	known  set.Mask
	target ecs.Entity
	packed
	form Form
}

// syncWork is the work of the next Sync, or of the one that is running. Its memory is reused.
type syncWork struct {
	touched []Slot     // slots with an event since the last Sync
	dirty   []*segment // segments that slots leave or arrive in
	moves   []Slot     // the slots that arrive
	tail    []Slot     // scratch of placeRows
	passing bool       // an entity may have been in an archetype between two Syncs only
}

func (w *syncWork) markDirty(seg *segment) {
	if !seg.dirty {
		seg.dirty = true
		w.dirty = append(w.dirty, seg)
	}
}

// sync examines every touched slot, and the rows that may have moved because of them. Other rows
// cannot have moved: when Arche removes a row from an archetype, only the last row moves, into the
// gap.
func (t *Table) sync() error {
	t.syncs++
	if t.canary.rescan {
		return t.rebuild()
	}
	if len(t.work.touched) == 0 && !t.work.passing {
		return nil
	}
	t.shifts++
	if t.place() && t.complete() {
		return nil
	}
	// A listener that changes the world while Arche sends the events of a batch makes Arche skip
	// entities.
	return t.rebuild()
}

// complete reports whether the table knows as many entities with the marker as the world has.
func (t *Table) complete() bool {
	query := t.world.Query(&t.filter)
	n := query.Count()
	query.Close()
	return n == t.slots.used-len(t.records.parked)
}

// rebuild drops all rows and finds every entity again by a query.
func (t *Table) rebuild() error {
	t.shifts++
	for s := range t.slots.info {
		if state := t.slots.info[s].state; state == slotLive || state == slotPaused {
			t.touch(Slot(s))
		}
	}
	for query := t.world.Query(&t.filter); query.Next(); {
		e := query.Entity()
		if _, tracked := t.slots.find(e); !tracked {
			t.touch(t.adopt(e, Form{}))
		}
	}
	for s := range t.slots.info {
		t.slots.info[s].seg = nil
	}
	for i := len(t.segments.all) - 1; i >= 0; i-- {
		seg := t.segments.all[i]
		seg.rows, seg.left, seg.arrived, seg.dirty = seg.rows[:0], seg.left[:0], seg.arrived[:0], false
		t.segments.retire(seg)
	}
	t.work.dirty = t.work.dirty[:0]
	if !t.place() || !t.complete() {
		return ErrListenerLost
	}
	t.canary.rescan = false
	return nil
}

// place finds the segment and row of every touched slot. It returns false if the rows are
// contradictory.
func (t *Table) place() bool {
	t.work.moves = t.work.moves[:0]
	for _, s := range t.work.touched {
		t.slots.info[s].touched = false
		t.depart(s)
	}
	t.work.touched = t.work.touched[:0]
	ok := true
	for _, seg := range t.work.dirty {
		seg.dirty = false
		ok = t.placeRows(seg) && ok
		seg.left, seg.arrived = seg.left[:0], seg.arrived[:0]
	}
	t.work.dirty = t.work.dirty[:0]
	if ok && t.work.passing {
		t.work.passing = false
		t.findBases()
	}
	return ok
}

// depart removes a slot from its row, with its shadow, and adds it to the arrivals of its entity's
// segment.
func (t *Table) depart(s Slot) {
	info := &t.slots.info[s]
	var last packed
	if seg := info.seg; seg != nil {
		t.work.markDirty(seg)
		seg.left = append(seg.left, info.row)
		if t.pend(s).from != seg.shape { // else the record has all values
			last = t.pack(seg, info.row)
		}
		info.seg = nil
	}
	if !t.world.Alive(info.entity) {
		t.end(s, last)
		return
	}
	key := t.keyOf(info.entity)
	if !key.mask.Get(t.marker) {
		t.park(s, last)
		return
	}
	if info.state == slotPaused {
		delete(t.records.parked, s)
		info.state = slotLive
	}
	seg := t.segments.segmentOf(&t.schema, key)
	t.work.markDirty(seg)
	seg.arrived = append(seg.arrived, int32(len(t.work.moves)))
	t.work.moves = append(t.work.moves, s)
}

// end ends the use of a slot and keeps its last values.
func (t *Table) end(s Slot, last packed) {
	if p := t.pend(s); last.from != nil {
		p.packed = last
	}
	delete(t.records.parked, s)
	t.slots.unlink(s)
}

// park keeps the slot of an entity that is alive without the marker. If the entity was not reported
// yet, it ends the slot's use instead.
func (t *Table) park(s Slot, last packed) {
	p := t.pend(s)
	if p.spawned {
		t.end(s, last)
		return
	}
	if info := &t.slots.info[s]; info.state != slotPaused {
		info.state = slotPaused
		t.records.parked[s] = &parking{known: p.known, target: p.target, packed: packed{p.from, bytes.Clone(p.data)}}
	}
}
