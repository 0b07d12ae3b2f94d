package smooth

import (
	"bytes"
	"time"
)

// Show makes the picture of the moment now, which is the share of a tick after the latest.
// Sample or Peek has said what is true of every row.
func (t *Track) Show(now time.Time, share float64) {
	t.showing = true
	for _, row := range t.Odd() {
		t.settle(int(row))
	}
	t.kind.Blend(t.shown.data, t.before.data, t.last.data, share)
	if t.kind.TooFar != nil {
		t.snap()
	}
	t.ease.apply(t, now)
	for _, row := range t.Odd() {
		copy(t.shown.at(int(row)), t.truth().at(int(row)))
	}
}

// settle gives a row that lacks a sample its true value there, so that no function of the
// game is called with what was never a value.
func (t *Track) settle(row int) {
	if t.marks[row]&hasLast == 0 {
		copy(t.last.at(row), t.truth().at(row))
	}
	if t.marks[row]&hasBefore == 0 {
		copy(t.before.at(row), t.truth().at(row))
	}
}

// snap shows the latest sample of rows whose two are too far apart.
func (t *Track) snap() {
	for row := range t.rows {
		if last := t.last.at(row); t.kind.TooFar(t.before.at(row), last) {
			copy(t.shown.at(row), last)
		}
	}
}

// truth is where the true values of the picture are.
func (t *Track) truth() *plane {
	if t.peeked {
		return &t.aside
	}
	return &t.last
}

// Put writes the picture into a column.
func (t *Track) Put(row int, column []byte) { copy(column, t.shown.from(row, column)) }

// Shown reports whether the columns hold the picture: since Show, and until Restored.
func (t *Track) Shown() bool { return t.showing }

// Restore writes the true values into a column, where it still holds what was shown. It does
// nothing if nothing is.
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

// Restored says that Restore was called for all rows.
func (t *Track) Restored() { t.showing = false }
