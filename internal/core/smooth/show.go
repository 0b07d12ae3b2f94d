package smooth

import (
	"bytes"
	"time"
)

// Show computes the displayed values at time now, which is the given share of a tick after the
// latest tick. Sample or Peek must have been called for every row.
func (t *Track) Show(now time.Time, share float64) {
	t.showing = true
	for _, row := range t.Unblended() {
		t.fillMissing(int(row))
	}
	t.kind.Blend(t.shown.data, t.before.data, t.last.data, share)
	if t.kind.TooFar != nil {
		t.snap()
	}
	t.ease.apply(t, now)
	for _, row := range t.Unblended() {
		copy(t.shown.valueAt(int(row)), t.truth().valueAt(int(row)))
	}
}

// fillMissing sets the missing samples of a row to its true value, so that functions of the game
// are not called with arbitrary bytes.
func (t *Track) fillMissing(row int) {
	if t.marks[row]&hasLast == 0 {
		copy(t.last.valueAt(row), t.truth().valueAt(row))
	}
	if t.marks[row]&hasBefore == 0 {
		copy(t.before.valueAt(row), t.truth().valueAt(row))
	}
}

// snap sets the displayed values of rows with two samples that differ too much to the latest
// sample.
func (t *Track) snap() {
	for row := range t.rows {
		if last := t.last.valueAt(row); t.kind.TooFar(t.before.valueAt(row), last) {
			copy(t.shown.valueAt(row), last)
		}
	}
}

// truth returns the true values of this frame.
func (t *Track) truth() *plane {
	if t.peeked {
		return &t.present
	}
	return &t.last
}

// Put writes the displayed values into a column.
func (t *Track) Put(row int, column []byte) { copy(column, t.shown.from(row, column)) }

// Displayed returns the value of a row that the last Show has computed.
func (t *Track) Displayed(row int) []byte { return t.shown.valueAt(row) }

// Shown reports whether the columns contain displayed values: after Show and before Restored.
func (t *Track) Shown() bool { return t.showing }

// Restore writes the true values into a column where it still has the displayed ones. It does
// nothing if Shown is false.
func (t *Track) Restore(row int, column []byte) {
	if !t.showing {
		return
	}
	shown, truth := t.shown.from(row, column), t.truth().from(row, column)
	if bytes.Equal(column, shown) {
		copy(column, truth)
		return
	}
	for size := t.kind.Size; len(column) > 0; column, shown, truth = column[size:], shown[size:], truth[size:] {
		if bytes.Equal(column[:size], shown[:size]) {
			copy(column[:size], truth)
		}
	}
}

// Restored records that Restore was called for all rows.
func (t *Track) Restored() { t.showing = false }
