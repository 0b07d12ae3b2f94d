package receiver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
)

// differing is a world whose component 0 is sent as differences. It notes where each
// update started: the base, and the tick that the copy was at.
type differing struct {
	*copySink
	starts [][2]entangle.Tick
}

// Deltas implements receiver.Differ.
func (d *differing) Deltas() repl.Mask { return repl.MaskOf(0) }

// From implements receiver.Differ.
func (d *differing) From(m *receiver.Moment) {
	if m.Differs && m.Known {
		d.starts = append(d.starts, [2]entangle.Tick{m.Base, m.Held})
	}
}

func newDiffering(t testing.TB) (*scripted, *differing) {
	s := newScripted(t)
	d := &differing{copySink: s.sink}
	s.copy = receiver.New(d, nil, comps)
	return s, d
}

// What arrived is taken for held: a sender may start from any of it.
//
// Proves: R30
func TestUpdatesThatWaitedApplyOneAfterTheOtherWhereTheyAreDifferences(t *testing.T) {
	s, d := newDiffering(t)
	s.update(12, 10)
	s.update(11, 10)
	s.update(13, 12)
	s.full(0, 10)
	s.shows(13)
	assert.Equal(t, [][2]entangle.Tick{{10, 10}, {10, 11}, {12, 12}}, d.starts)
}

// An update that came was passed by, and the next one starts from it.
//
// Proves: R30
func TestADifferenceFromWhatWasPassedByIsNotApplied(t *testing.T) {
	s, _ := newDiffering(t)
	s.full(0, 10)
	s.update(20, 15) // waits
	s.update(21, 10) // and is passed by
	s.shows(21)
	assert.Empty(t, s.asks())
	s.update(23, 20)
	s.shows(21)
	assert.Equal(t, []repl.Handle{0}, s.asks())
	s.update(24, 20)
	assert.Empty(t, s.asks(), "once")
	s.full(1, 30)
	s.shows(30)
	s.update(31, 30)
	s.shows(31)
}

// A sender that starts from what is held knows so by then.
//
// Proves: R30
func TestADoubtEndsWithAnUpdateFromWhatIsHeld(t *testing.T) {
	s, _ := newDiffering(t)
	s.full(0, 10)
	s.update(20, 15)
	s.update(21, 10)
	s.update(22, 21)
	s.shows(22)
	s.update(23, 20) // its values are the same from 20 to 22
	s.shows(23)
	assert.Empty(t, s.asks())
}

// What was dropped before a group's full came may be what its sender starts from.
//
// Proves: R30
func TestWhatFindsNoRoomIsNotStartedFrom(t *testing.T) {
	s, _ := newDiffering(t)
	for i := range entangle.Tick(17) { // one more than there is room for
		s.update(11+i, 10)
	}
	assert.Equal(t, []repl.Handle{0}, s.asks())
	s.full(0, 10)
	s.shows(27)
	s.update(30, 11) // the oldest, which was dropped
	s.shows(27)
	assert.Equal(t, []repl.Handle{0}, s.asks())
}

// Where nothing is sent as differences, the newest is enough.
func TestWithoutDifferencesTheNewestIsEnough(t *testing.T) {
	s := newScripted(t)
	s.full(0, 10)
	s.update(20, 15)
	s.update(21, 10)
	s.update(23, 20)
	s.shows(23)
	assert.Empty(t, s.asks())
}
