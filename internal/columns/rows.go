package columns

// placeRows finds out which slot is in which row of a segment with arrivals or departures. It
// returns false if that is contradictory.
func (t *Table) placeRows(seg *segment) bool {
	old := len(seg.rows)
	floor := old - len(seg.left) // rows from here on may have moved
	n := floor + len(seg.arrived)
	for _, row := range seg.left {
		seg.rows[row] = NoSlot
	}
	t.work.tail = t.work.tail[:0]
	for _, s := range seg.rows[floor:] {
		if s != NoSlot {
			t.work.tail = append(t.work.tail, s)
		}
	}
	seg.rows = seg.rows[:floor]
	if n == 0 {
		t.segments.outlines[seg.index].rows = 0
		if !seg.key.target.IsZero() {
			t.segments.retire(seg)
		}
		return true
	}
	for range len(seg.arrived) {
		seg.rows = append(seg.rows, NoSlot)
	}
	base := t.baseOf(seg, floor)
	if !t.fillRows(seg, base) {
		return false
	}
	t.refreshViews(seg)
	t.segments.outlines[seg.index].rows = n
	return true
}

// baseOf returns the address of the marker in row 0. If no slot is known to be in row 0, this is
// the lowest address of all slots that may be there.
func (t *Table) baseOf(seg *segment, floor int) uintptr {
	if floor > 0 && seg.rows[0] != NoSlot {
		return t.address(seg.rows[0])
	}
	base := ^uintptr(0)
	for _, s := range t.work.tail {
		base = min(base, t.address(s))
	}
	for _, m := range seg.arrived {
		base = min(base, t.address(t.work.moves[m]))
	}
	return base
}

func (t *Table) address(s Slot) uintptr {
	return uintptr(t.world.Get(t.slots.info[s].entity, t.marker))
}

// fillRows assigns a row to each slot in the tail and to each arrival, and moves the shadows of
// those in the tail. It returns false if two slots have the same row, or if a slot has left the
// segment without an event.
func (t *Table) fillRows(seg *segment, base uintptr) bool {
	if !t.formsOnly {
		seg.reserve(len(seg.rows))
	}
	for _, s := range t.work.tail {
		from := t.slots.info[s].row
		if t.keyOf(t.slots.info[s].entity) != seg.key || !t.claim(seg, base, s) {
			return false
		}
		if !t.formsOnly {
			seg.moveShadow(from, t.slots.info[s].row)
		}
	}
	for _, m := range seg.arrived {
		if !t.claim(seg, base, t.work.moves[m]) {
			return false
		}
	}
	return true
}

// moveShadow copies a row of the shadow.
func (seg *segment) moveShadow(from, to uint32) {
	for i := range seg.views {
		v, size := &seg.views[i], seg.shape.cols[i].size
		copy(v.shadowAt(to, size), v.shadowAt(from, size))
	}
}

func (t *Table) claim(seg *segment, base uintptr, s Slot) bool {
	info := &t.slots.info[s]
	row := (t.address(s) - base) / uintptr(t.cols[t.markerCol()].Size)
	if row >= uintptr(len(seg.rows)) || seg.rows[row] != NoSlot {
		return false
	}
	seg.rows[row] = s
	info.seg, info.row = seg, uint32(row)
	return true
}

// refreshViews updates the addresses of Arche's columns, which change when a column grows, and
// fills in the shadows of the arrivals.
func (t *Table) refreshViews(seg *segment) {
	t.refreshBases(seg)
	seg.order = unknownOrder
	for _, m := range seg.arrived {
		t.placeShadow(seg, t.work.moves[m])
	}
}

func (t *Table) refreshBases(seg *segment) {
	first := t.slots.info[seg.rows[0]].entity
	for i := range seg.views {
		seg.views[i].base = t.world.Get(first, seg.shape.cols[i].id)
	}
}

// placeShadow copies the known values of a moved slot to its new row. A column without a known
// value starts with the present one.
func (t *Table) placeShadow(seg *segment, s Slot) {
	info := &t.slots.info[s]
	p := t.pend(s)
	p.placed = t.syncs
	if t.formsOnly {
		return
	}
	for i := range seg.views {
		c, v := &seg.shape.cols[i], &seg.views[i]
		value := p.columnValue(c.col)
		if value == nil {
			value = v.valueAt(info.row, c.size)
		}
		copy(v.shadowAt(info.row, c.size), value)
	}
}

// findBases updates the addresses of columns that Arche has moved to larger memory. It is needed if
// the cause was an entity that has since been removed, so that its segment has no arrivals or
// departures.
func (t *Table) findBases() {
	for _, seg := range t.segments.all {
		if len(seg.rows) == 0 {
			continue
		}
		last := &seg.views[len(seg.views)-1]
		if first := t.slots.info[seg.rows[0]].entity; t.world.Get(first, t.marker) != last.base {
			t.refreshBases(seg)
		}
	}
}
