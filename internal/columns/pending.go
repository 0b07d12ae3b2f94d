package columns

import (
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// pending is the last reported state of a slot that may have changed its structure since. Observe
// reports the difference between it and the world.
type pending struct {
	slot    Slot
	known   set.Mask
	target  ecs.Entity
	packed         // the known values
	form    Form   // at the last Sync; for a removed entity, at the last Sync at which it was alive
	placed  uint32 // number of the last Sync that assigned a row to the slot
	spawned bool   // the slot was not reported yet
	paused  bool
	bare    bool // removed without the marker
	touched bool // by an event since the last Sync
}

// packed is a copy of one slot's shadow row.
type packed struct {
	from *shape // shape of data; nil if there is no data
	data []byte
}

// changeRecords holds the pending records, and the values that they refer to.
type changeRecords struct {
	pending  []pending // since the last Observe
	reported []pending // reported by the last Observe
	scratch  []byte    // memory of the values in pending
	faded    []byte    // memory of the values in reported
	parked   map[Slot]*parking
}

// recordOf returns the record of a slot, or nil if it has none.
func (r *changeRecords) recordOf(info *slotInfo) *pending {
	switch {
	case info.pending == 0:
		return nil
	case info.state == slotReported:
		return &r.reported[info.pending-1]
	}
	return &r.pending[info.pending-1]
}

// endObserve starts new records. It keeps the present ones in reported until the next Observe, for
// the slots of removed entities.
func (r *changeRecords) endObserve() {
	r.pending, r.reported = r.reported[:0], r.pending
	r.scratch, r.faded = r.faded[:0], r.scratch
}

// pend returns the record of a slot. The first call after an Observe creates it from the present
// state.
func (t *Table) pend(s Slot) *pending {
	info := &t.slots.info[s]
	if info.pending == 0 {
		t.records.pending = append(t.records.pending, pending{slot: s, paused: info.state == slotPaused})
		info.pending = int32(len(t.records.pending))
		p := &t.records.pending[len(t.records.pending)-1]
		if info.seg != nil {
			p.known, p.target = info.seg.shape.present, info.seg.key.target
			p.packed, p.form = t.pack(info.seg, info.row), info.seg.form()
		} else if park := t.records.parked[s]; park != nil {
			p.known, p.target = park.known, park.target
			p.packed, p.form = park.packed, park.form
		}
	}
	return &t.records.pending[info.pending-1]
}

// pack copies a shadow row to the scratch buffer. The copy is valid until the second Observe from
// now.
func (t *Table) pack(seg *segment, row uint32) packed {
	if t.formsOnly {
		return packed{}
	}
	start := len(t.records.scratch)
	for i := range seg.views {
		t.records.scratch = append(t.records.scratch, seg.views[i].shadowAt(row, seg.shape.cols[i].size)...)
	}
	return packed{seg.shape, t.records.scratch[start:]}
}

// columnValue returns the value of a column, or nil if there is none.
func (p *packed) columnValue(col int) []byte {
	if p.from == nil || p.from.place[col] < 0 {
		return nil
	}
	c := &p.from.cols[p.from.place[col]]
	return p.data[c.offset : c.offset+c.size]
}

// reportPending compares the known state of every touched slot with its present state and reports
// the differences.
func (t *Table) reportPending() {
	for i := range t.records.pending {
		p := &t.records.pending[i]
		info := &t.slots.info[p.slot]
		if info.state == slotDead {
			t.reportEnd(p, info)
			continue
		}
		info.pending = 0
		switch info.state {
		case slotPaused:
			if !p.paused {
				t.reports.paused = append(t.reports.paused, p.slot)
			}
		case slotLive:
			t.reportLive(p, info)
		}
	}
	t.records.endObserve()
}

func (t *Table) reportEnd(p *pending, info *slotInfo) {
	info.state = slotReported
	t.reports.ended = append(t.reports.ended, p.slot)
	if !p.spawned {
		t.reports.despawned = append(t.reports.despawned, p.slot)
	}
}

func (t *Table) reportLive(p *pending, info *slotInfo) {
	now := info.seg.shape.present
	if p.spawned {
		t.reports.spawned = append(t.reports.spawned, p.slot)
		t.refresh(p, info, now)
		return
	}
	if p.paused {
		t.reports.resumed = append(t.reports.resumed, p.slot)
	}
	inserted, removed := now.Without(p.known), p.known.Without(now)
	if !inserted.IsZero() || !removed.IsZero() {
		t.reports.structure = append(t.reports.structure, StructureChange{p.slot, inserted, removed})
	}
	if info.seg.key.target != p.target {
		t.reports.retargeted = append(t.reports.retargeted, p.slot)
	}
	t.refresh(p, info, inserted)
}

// refresh copies the present values of columns to the shadows, so that compare does not report what
// the structure reports contain already. It has nothing to copy for a slot that the Sync of this
// Observe has placed.
func (t *Table) refresh(p *pending, info *slotInfo, cols set.Mask) {
	if p.placed == t.syncs || t.formsOnly {
		return
	}
	for i := range info.seg.shape.cols {
		c := &info.seg.shape.cols[i]
		if cols.Has(c.col) || p.spawned && c.col == t.markerCol() {
			v := &info.seg.views[i]
			copy(v.shadowAt(info.row, c.size), v.valueAt(info.row, c.size))
		}
	}
}
