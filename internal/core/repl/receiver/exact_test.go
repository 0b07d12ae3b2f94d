package receiver_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// differing is a world that gets component 0 as differences. It records where each update started:
// the baseline, and the tick of the replica.
type differing struct {
	*copySink
	starts [][2]entangle.Tick
	misfit repl.Handle // the group of which no difference fits; 0: all fit
}

func (d *differing) Update(r *bits.Reader, comp int, refs receiver.Refs) error {
	if d.misfit != 0 && d.entities[d.at].id.Group == d.misfit {
		r.Bits(5)
		return fmt.Errorf("group %d: %w", d.misfit, receiver.ErrBaseline)
	}
	return d.copySink.Update(r, comp, refs)
}

// differingUpdater is a differing that applies the updates of many entities in one call.
type differingUpdater struct{ *differing }

func (d *differingUpdater) UpdateBlock(slots []repl.Slot, ticks []entangle.Tick, tick entangle.Tick, comps *set.Mask, r *bits.Reader, refs receiver.Refs) (n int, err error) {
	for i, slot := range slots {
		before := *r
		d.Begin(tick, ticks[i])
		d.Member(slot, false)
		for c := comps.Next(0); c >= 0; c = comps.Next(c + 1) {
			if err := d.Update(r, c, refs); err != nil {
				d.Discard()
				*r = before
				return n, err
			}
		}
		d.Commit()
		n++
	}
	return n, nil
}

// Deltas implements receiver.Differ.
func (d *differing) Deltas() set.Mask { return set.MaskOf(0) }

// From implements receiver.Differ.
func (d *differing) From(m *receiver.Moment) {
	if m.Differs && m.Known {
		d.starts = append(d.starts, [2]entangle.Tick{m.Base, m.ReplicaTick})
	}
}

func newDiffering(t testing.TB) (*scripted, *differing) {
	s := newScripted(t)
	d := &differing{copySink: s.sink}
	s.copy = receiver.New(d, comps)
	return s, d
}

// Of waiting updates with the same baseline the newest is applied, even if they are differences,
// because their sender counts none of them as acknowledged.
//
// Proves: R22, R30
func TestOfWaitingDifferencesTheNewestApplies(t *testing.T) {
	s, d := newDiffering(t)
	s.update(12, 10)
	s.update(11, 10)
	s.update(13, 10)
	s.update(15, 14)
	s.full(10)
	s.shows(13)
	s.change(14, 10)
	s.shows(15)
	assert.Equal(t, [][2]entangle.Tick{{10, 10}, {14, 14}}, d.starts)
}

// Of waiting updates with several baselines only the newest applicable one is applied. An older one
// is ignored, whether it waited as well, or arrives later.
//
// Proves: R22
func TestAnOlderUpdateIsNotAppliedAfterANewerOne(t *testing.T) {
	s, d := newDiffering(t)
	s.update(31, 20)
	s.update(33, 25)
	s.update(32, 25)
	s.update(50, 40)
	s.full(30)
	s.shows(33)
	s.update(32, 30)
	s.update(33, 30)
	s.shows(33)
	assert.Equal(t, [][2]entangle.Tick{{25, 30}}, d.starts)
	s.change(40, 30)
	s.shows(50)
	assert.Equal(t, [][2]entangle.Tick{{25, 30}, {40, 40}}, d.starts)
}

// An update that does not fit the replica's value changes nothing, and ends the connection: no sender writes it.
//
// Proves: R30
func TestADifferenceThatDoesNotFitIsNotApplied(t *testing.T) {
	for name, updater := range map[string]bool{"alone": false, "in one call": true} {
		t.Run(name, func(t *testing.T) {
			s, d := newDiffering(t)
			if updater {
				s.copy = receiver.New(&differingUpdater{d}, comps)
			}
			for h := range repl.Handle(3) {
				s.get(one(repl.Full, h, 10, 0))
			}
			d.misfit = 1
			frame := run(one(repl.Update, 0, 20, 10), one(repl.Update, 1, 20, 10), one(repl.Update, 2, 20, 10))
			if updater {
				frame = plainRun(10, number(20), 0, 1, 2)
			}
			require.ErrorIs(t, s.copy.HandleUpdates(20, frame), receiver.ErrBaseline)
			s.check()
			s.holds(0, 20)
			s.holds(1, 10)
			assert.EqualValues(t, 10, s.entity(id(1, 0)).value)
		})
	}
}

// Differences of one block that are applied in one call start from replicas of one tick.
//
// Proves: R30
func TestDifferencesOfABlockStartFromOneTick(t *testing.T) {
	s, d := newDiffering(t)
	s.copy = receiver.New(&differingUpdater{d}, comps)
	for h := range repl.Handle(4) {
		s.get(one(repl.Full, h, 10, 0))
	}
	s.get(one(repl.Update, 2, 15, 10))
	d.starts = nil
	require.NoError(t, s.copy.HandleUpdates(20, plainRun(10, number(5), 0, 1, 2, 3)))
	assert.Equal(t, [][2]entangle.Tick{{10, 10}, {10, 15}, {10, 10}}, d.starts)
	assert.EqualValues(t, 5, s.entity(id(3, 0)).value)
}
