package smooth

import (
	"bytes"
	"time"
)

// easing holds the corrections in progress.
type easing struct {
	kept      bool   // Keep was called, and Ease not yet
	replayed  bool   // Before was called since Keep
	wasLast   plane  // the samples before the correction, as in Track
	wasBefore plane  //
	wasMarks  []mark //

	rows  []int32 // rows with a correction in progress, and some without
	right plane   // the corrected displayed value at the time of the correction
	wrong plane   // the value that was displayed then
	since []time.Time

	scratch []time.Time // used by arrange
	marked  []mark
}

// Keep stores the samples, so that Ease can compare them with those after a correction. It does
// nothing if samples are stored already.
func (t *Track) Keep() {
	e := &t.ease
	if e.kept {
		return
	}
	e.kept, e.replayed = true, false
	e.wasLast.resize(t.rows)
	e.wasBefore.resize(t.rows)
	copy(e.wasLast.data, t.last.data)
	copy(e.wasBefore.data, t.before.data)
	e.wasMarks = append(e.wasMarks[:0], t.marks...)
}

// Kept reports whether a correction has begun by Keep and not ended by Ease.
func (t *Track) Kept() bool { return t.ease.kept }

// Before sets the corrected values at the end of the tick before the latest.
func (t *Track) Before(row int, column []byte) {
	copy(t.before.from(row, column), column)
	t.mark(row, len(column), hasBefore)
	t.ease.replayed = true
}

// Amend sets the corrected values at the end of the latest tick.
func (t *Track) Amend(row int, column []byte) {
	copy(t.last.from(row, column), column)
	t.mark(row, len(column), hasLast)
}

// Ease ends a correction. If the displayed value of a row, at the given share of a tick, differs
// from that of the stored samples, a transition between the two begins. A share of 1 is the end of
// the latest tick.
func (t *Track) Ease(now time.Time, share float64) {
	e := &t.ease
	if !e.kept {
		return
	}
	e.kept = false
	if bytes.Equal(e.wasLast.data, t.last.data) && bytes.Equal(e.wasBefore.data, t.before.data) {
		return
	}
	e.right.resize(t.rows)
	e.wrong.resize(t.rows)
	e.since = resized(e.since, t.rows)
	for row := range t.rows {
		if !t.differs(row) {
			continue
		}
		if !e.replayed {
			t.shift(row)
		}
		if t.kind.Over > 0 {
			t.easeRow(row, now, share)
		}
	}
}

// shift moves the sample of the tick before the latest by the correction of the latest one. It is
// used without a replay, which would have recomputed it.
func (t *Track) shift(row int) {
	last := t.last.valueAt(row)
	if t.kind.Carry == nil {
		copy(t.before.valueAt(row), last)
		return
	}
	t.kind.Carry(t.before.valueAt(row), t.ease.wasLast.valueAt(row), last, 1)
}

func resized(s []time.Time, n int) []time.Time {
	for len(s) < n {
		s = append(s, time.Time{})
	}
	return s[:n]
}

// differs reports whether the samples of a row differ from the stored ones.
func (t *Track) differs(row int) bool {
	e := &t.ease
	return e.wasMarks[row]&hasLast != 0 && t.marks[row]&(hasLast|excluded) == hasLast &&
		(!bytes.Equal(e.wasLast.valueAt(row), t.last.valueAt(row)) || !bytes.Equal(e.wasBefore.valueAt(row), t.before.valueAt(row)))
}

// easeRow begins the transition of one row: from its displayed value, including earlier
// corrections, to the correct one.
func (t *Track) easeRow(row int, now time.Time, share float64) {
	e := &t.ease
	wrong, right := t.shown.valueAt(row), t.present.valueAt(row) // shown and present are free until the next Show
	t.between(wrong, &e.wasBefore, &e.wasLast, row, e.wasMarks[row], share)
	t.between(right, &t.before, &t.last, row, t.marks[row], share)
	if t.marks[row]&eased != 0 {
		t.carry(wrong, row, t.remainder(row, now))
	}
	if t.kind.TooFar != nil && t.kind.TooFar(wrong, right) {
		t.endCorrection(row)
		return
	}
	copy(e.wrong.valueAt(row), wrong)
	copy(e.right.valueAt(row), right)
	e.since[row] = now
	if t.marks[row]&listed == 0 {
		e.rows = append(e.rows, int32(row))
	}
	t.marks[row] |= eased | listed
}

// between sets dst to the displayed value of two samples at a share of a tick.
func (t *Track) between(dst []byte, before, last *plane, row int, m mark, share float64) {
	a, b := before.valueAt(row), last.valueAt(row)
	if m&hasBefore == 0 || t.kind.TooFar != nil && t.kind.TooFar(a, b) {
		copy(dst, b)
		return
	}
	t.kind.Blend(dst, a, b, share)
}

// remainder returns the remaining share of a row's correction: 1 at first, 0 when its time is over.
// It falls quickly at first and slowly at the end. If it fell slowly at first, frequent corrections
// would never complete.
func (t *Track) remainder(row int, now time.Time) float64 {
	since := &t.ease.since[row]
	if now.Before(*since) { // the clock was set back
		*since = now
	}
	rest := 1 - float64(now.Sub(*since))/float64(t.kind.Over)
	if rest <= 0 {
		return 0
	}
	return rest * rest
}

// carry moves a value by what remains of a row's correction.
func (t *Track) carry(dst []byte, row int, left float64) {
	if left <= 0 {
		return
	}
	e := &t.ease
	if t.kind.Carry != nil {
		t.kind.Carry(dst, e.right.valueAt(row), e.wrong.valueAt(row), left)
		return
	}
	t.kind.Blend(dst, dst, e.wrong.valueAt(row), left)
}

// endCorrection ends a row's correction.
func (t *Track) endCorrection(row int) { t.marks[row] &^= eased }

// apply adds what remains of the corrections to the displayed values.
func (e *easing) apply(t *Track, now time.Time) {
	going := e.rows[:0]
	for _, row := range e.rows {
		mark, left := &t.marks[row], 0.0
		if *mark&eased != 0 {
			left = t.remainder(int(row), now)
		}
		if left <= 0 {
			*mark &^= eased | listed
			continue
		}
		t.carry(t.shown.valueAt(int(row)), int(row), left)
		going = append(going, row)
	}
	e.rows = going
}

// arrange applies a new order of the rows. from is the argument of Track.Arrange.
func (e *easing) arrange(t *Track, from []int32) {
	if e.kept {
		e.wasLast.rearrange(t.rows, t.moves)
		e.wasBefore.rearrange(t.rows, t.moves)
		e.wasMarks, e.marked = rearranged(e.marked, e.wasMarks, t.rows, t.moves), e.wasMarks
	}
	if len(e.rows) == 0 {
		return
	}
	e.right.rearrange(t.rows, t.moves)
	e.wrong.rearrange(t.rows, t.moves)
	e.scratch = append(e.scratch[:0], e.since...)
	e.since = resized(e.since, t.rows)
	e.rows = e.rows[:0]
	for row, old := range from {
		if t.marks[row]&eased == 0 {
			t.marks[row] &^= listed
			continue
		}
		e.since[row] = e.scratch[old]
		e.rows = append(e.rows, int32(row))
	}
}
