package columns

import "unsafe"

// Save copies a column of all rows to bySlot, which is indexed by slot and must have space for
// Slots() values. It leaves the values of slots without the component, and of paused ones,
// unchanged. The rows are those of the last Sync, the values the present ones.
func (t *Table) Save(col int, bySlot []byte) {
	size := t.cols[col].Size
	for _, seg := range t.segments.all {
		rows := seg.column(col, size)
		switch {
		case len(rows) == 0:
		case seg.scattered():
			scatter(size, bySlot, rows, seg.rows)
		default:
			for _, run := range seg.runs {
				copy(run.slots(bySlot, size), run.cells(rows, size))
			}
		}
	}
}

// Load is the inverse of Save: it copies the values of bySlot to all rows that have the component.
func (t *Table) Load(col int, bySlot []byte) {
	size := t.cols[col].Size
	for _, seg := range t.segments.all {
		rows := seg.column(col, size)
		switch {
		case len(rows) == 0:
		case seg.scattered():
			gather(size, bySlot, rows, seg.rows)
		default:
			for _, run := range seg.runs {
				copy(run.cells(rows, size), run.slots(bySlot, size))
			}
		}
	}
}

// placeCache is the last result of Places.
type placeCache struct {
	slots  []uint32
	shifts uint64 // Table.shifts plus one, at the time of the call
}

// Places returns the slots of all rows, segment by segment, in the order of SavePlaces. The result
// is valid until the next Sync. It is empty if nearly all slots are in the order of rows, because
// then Save is as fast as SavePlaces.
func (t *Table) Places() []uint32 {
	if t.places.shifts == t.shifts+1 {
		return t.places.slots
	}
	t.places.shifts, t.places.slots = t.shifts+1, t.places.slots[:0]
	strewn := 0
	for _, seg := range t.segments.all {
		for _, slot := range seg.rows {
			t.places.slots = append(t.places.slots, uint32(slot))
		}
		if seg.scattered() {
			strewn += len(seg.rows)
		}
	}
	if strewn*rowsPerRun <= len(t.places.slots) {
		t.places.slots = t.places.slots[:0]
	}
	return t.places.slots
}

// SavePlaces copies a column of all rows, in the order of Places. For rows without the component it
// writes zeros.
func (t *Table) SavePlaces(col int, byPlace []byte) {
	size := t.cols[col].Size
	for _, seg := range t.segments.all {
		n := len(seg.rows) * size
		clear(byPlace[copy(byPlace[:n], seg.column(col, size)):n])
		byPlace = byPlace[n:]
	}
}

// column returns the memory of a column in Arche, or nil if the segment has no such column or no
// rows.
func (seg *segment) column(col, size int) []byte {
	at := seg.place[col]
	if at < 0 || len(seg.rows) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(seg.views[at].base), len(seg.rows)*size)
}

// rowOrder is the order of the slots of a segment's rows.
type rowOrder uint8

const (
	unknownOrder rowOrder = iota
	inRuns                // a few runs of consecutive slots
	scattered
)

// rowRun is a run of rows with consecutive slots.
type rowRun struct {
	row, rows uint32
	slot      Slot
}

// rowsPerRun is the least mean length of runs of rows at which copying run by run is faster than
// row by row.
const rowsPerRun = 8

// scattered reports whether columns have to be copied row by row. If not, seg.runs has the runs.
func (seg *segment) scattered() bool {
	if seg.order == unknownOrder {
		seg.order = seg.findRuns()
	}
	return seg.order == scattered
}

func (seg *segment) findRuns() rowOrder {
	seg.runs = seg.runs[:0]
	most := 1 + len(seg.rows)/rowsPerRun
	next := NoSlot
	for row, slot := range seg.rows {
		if slot != next {
			if len(seg.runs) == most {
				return scattered
			}
			seg.runs = append(seg.runs, rowRun{uint32(row), 0, slot})
		}
		seg.runs[len(seg.runs)-1].rows++
		next = slot + 1
	}
	return inRuns
}

func (r *rowRun) slots(bySlot []byte, size int) []byte {
	return bySlot[int(r.slot)*size : (int(r.slot)+int(r.rows))*size]
}

func (r *rowRun) cells(rows []byte, size int) []byte {
	return rows[int(r.row)*size : int(r.row+r.rows)*size]
}
