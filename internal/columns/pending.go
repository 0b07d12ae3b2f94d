package columns

import "github.com/mlange-42/arche/ecs"

// pending is the last reported state of a slot with possible structural changes since. Its difference to the
// world at Observe is the report.
type pending struct {
	slot      Slot
	known     Mask
	target    ecs.Entity
	packed           // the known values
	mutedCols Mask   // columns added while muted: their first value is known
	form      Form   // at the last Sync; for a removed entity, at the last Sync with a slot
	placed    uint32 // the last Sync that assigned a row to it
	spawned   bool   // it was not reported yet
	paused    bool
	quiet     bool // removed while muted
	bare      bool // removed without the marker
	touched   bool // touched since the last Sync
}

// packed is a copy of one slot's shadow row.
type packed struct {
	from *shape // of data; nil: no data
	data []byte
}

// pend returns the record of a slot, created from its present state at the first call after an Observe.
func (t *Table) pend(s Slot) *pending {
	info := &t.slots.info[s]
	if info.pending == 0 {
		t.pending = append(t.pending, pending{slot: s, paused: info.state == slotPaused})
		info.pending = int32(len(t.pending))
		p := &t.pending[len(t.pending)-1]
		if info.seg != nil {
			p.known, p.target = info.seg.shape.present, info.seg.key.target
			p.packed, p.form = t.pack(info.seg, info.row), info.seg.form()
		} else if park := t.parked[s]; park != nil {
			p.known, p.target = park.known, park.target
			p.packed, p.form = park.packed, park.form
		}
	}
	return &t.pending[info.pending-1]
}

// seen returns the record of a slot with a removed entity or touched structure, or nil.
func (t *Table) seen(info *slotInfo) *pending {
	switch {
	case info.pending == 0:
		return nil
	case info.state == slotReported:
		return &t.reported[info.pending-1]
	}
	return &t.pending[info.pending-1]
}

// pack copies a shadow row to the scratch buffer, where it stays until the second Observe from now.
func (t *Table) pack(seg *segment, row uint32) packed {
	if t.formsOnly {
		return packed{}
	}
	start := len(t.scratch)
	for i := range seg.views {
		t.scratch = append(t.scratch, seg.views[i].shadowAt(row, seg.shape.cols[i].size)...)
	}
	return packed{seg.shape, t.scratch[start:]}
}

// columnValue returns the value of a column, or nil.
func (p *packed) columnValue(col int) []byte {
	if p.from == nil || p.from.place[col] < 0 {
		return nil
	}
	c := &p.from.cols[p.from.place[col]]
	return p.data[c.offset : c.offset+c.size]
}

// reportPending compares the known state with the present one for every touched slot, and reports the
// differences.
func (t *Table) reportPending() {
	for i := range t.pending {
		p := &t.pending[i]
		info := &t.slots.info[p.slot]
		if info.state == slotDead {
			t.reportEnd(p, info)
			continue
		}
		info.pending = 0
		switch info.state {
		case slotPaused:
			t.parked[p.slot].known, t.parked[p.slot].target = p.known, p.target
			if !p.paused {
				t.reports.paused = append(t.reports.paused, p.slot)
			}
		case slotLive:
			t.reportLive(p, info)
		}
	}
	t.endPending()
}

// endPending starts over, and keeps the records of removed entities until the next Observe.
func (t *Table) endPending() {
	t.pending, t.reported = t.reported[:0], t.pending
	t.scratch, t.faded = t.faded[:0], t.scratch
}

func (t *Table) reportEnd(p *pending, info *slotInfo) {
	info.state = slotReported
	t.reports.ended = append(t.reports.ended, p.slot)
	if !p.spawned && !p.quiet {
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

// refresh accepts the present values of columns, so that compare does not report changes that the structure
// reports contain. Those of a slot that was placed by the Sync of this Observe are equal already.
func (t *Table) refresh(p *pending, info *slotInfo, cols Mask) {
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
