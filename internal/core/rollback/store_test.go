package rollback

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/set"
)

// game is a store at tick 10 with entities from 1 on that have all columns of the twin.
type game struct {
	*Store
	t     *testing.T
	forms map[Slot]Form
}

func newGame(t *testing.T, entities int) *game {
	g := &game{New(twinConfig(8)), t, map[Slot]Form{}}
	g.Grow(entities + 1)
	g.Begin(10)
	for slot := Slot(1); int(slot) <= entities; slot++ {
		g.forms[slot] = Form{Alive: true, Mask: set.MaskOf(colBody, colHealth, colLocal)}
	}
	return g
}

func (g *game) form(slot Slot) Form { return g.forms[slot] }

// agree sets the confirmed state of all entities, as of a tick, to their predicted state at that
// tick.
func (g *game) agree(tick entangle.Tick) {
	for slot, form := range g.forms {
		*g.Confirmed(slot) = Confirmed{Tick: tick, Known: true, Mask: form.Mask}
		for _, col := range []int{colBody, colHealth} {
			size := g.cfg.Sizes[col]
			copy(g.ConfirmedValue(slot, col), g.Column(tick, col)[int(slot)*size:])
		}
		g.Note(slot)
	}
}

func (g *game) compare(f, p entangle.Tick) (all []Mismatch) {
	g.Compare(f, p, g.form, func(m Mismatch) { all = append(all, m) })
	return all
}

func (g *game) change(tick entangle.Tick, slot Slot, form Form) {
	g.Changed(tick, slot, g.forms[slot], form)
	g.forms[slot] = form
}

// TestAgreementIsSilent checks that a correct prediction of all entities is no mismatch, at this
// confirmed tick and at later ones, until the prediction changes by itself.
func TestAgreementIsSilent(t *testing.T) {
	g := newGame(t, 100)
	g.agree(10)
	assert.Empty(t, g.compare(10, 10))
	g.Begin(11)
	for _, col := range []int{colBody, colHealth, colLocal} {
		copy(g.Column(11, col), g.Column(10, col))
	}
	assert.Empty(t, g.compare(11, 11), "nothing new was received, and nothing moved")
	g.Begin(12)
	for _, col := range []int{colBody, colHealth} {
		copy(g.Column(12, col), g.Column(10, col))
	}
	g.Column(12, colBody)[7*12] = 1
	g.Column(12, colLocal)[7*8] = 1
	g.Column(12, colHealth)[7*4+3] = 1 // equal to the confirmed state, by Config.Equal
	assert.Equal(t, []Mismatch{{7, 12, Value, colBody}}, g.compare(12, 12), "the server did not move it")
}

// TestNewerThanTheConfirmedTick checks that confirmed state newer than the confirmed tick is
// compared once, at its own tick, and that confirmed state of a future tick is due at that tick.
func TestNewerThanTheConfirmedTick(t *testing.T) {
	g := newGame(t, 3)
	g.agree(10)
	g.Begin(11)
	g.Begin(12)
	for _, at := range []struct {
		slot Slot
		tick entangle.Tick
	}{{1, 12}, {2, 14}} {
		g.Confirmed(at.slot).Tick = at.tick
		g.ConfirmedValue(at.slot, colBody)[0] = 5
		g.Note(at.slot)
	}
	assert.Equal(t, []Mismatch{{1, 12, Value, colBody}}, g.compare(10, 12))
	assert.Empty(t, g.compare(10, 12))
	assert.Equal(t, []Slot{1}, g.Due(nil, 12))
	assert.Empty(t, g.Due(nil, 13))
	assert.Equal(t, []Slot{2}, g.Due(nil, 14))
	g.Begin(13)
	g.Begin(14)
	g.CorrectSlot(2, 14)
	assert.Equal(t, byte(5), g.Column(14, colBody)[2*12])
}

// TestTheConfirmedTickGoesBack checks that confirmed state that the confirmed tick had reached is state of a future
// tick again if the confirmed tick goes back, because the clock was set back to before it.
func TestTheConfirmedTickGoesBack(t *testing.T) {
	g := newGame(t, 2)
	g.agree(10)
	g.Begin(11)
	g.Begin(12)
	for tick := entangle.Tick(10); tick <= 12; tick++ {
		g.Column(tick, colBody)[12] = byte(tick)
	}
	g.ConfirmedValue(1, colBody)[0] = 12
	g.NoteValues(1, 12)
	require.Empty(t, g.compare(12, 12))
	assert.Empty(t, g.compare(11, 11))
	g.Wanted(11, 11, g.form, func(Slot, Form) { t.Error("it has this form") })
	g.Correct(11, 11)
	g.Cut(11)
	assert.Equal(t, byte(11), g.Column(11, colBody)[12])
	assert.Equal(t, []Slot{1}, g.Due(nil, 12))
	g.Begin(12)
	g.Column(12, colBody)[12] = 9
	assert.Equal(t, []Mismatch{{1, 12, Value, colBody}}, g.compare(12, 12))
}

// TestDisabledComponentsAreRestoredWhole checks that a predicted despawn is undone if the server
// has not despawned the entity, including columns that only this side has.
func TestDisabledComponentsAreRestoredWhole(t *testing.T) {
	g := newGame(t, 2)
	g.agree(10)
	g.Column(10, colLocal)[8] = 77
	whole := g.forms[1]
	g.Begin(11)
	g.change(11, 1, Form{Alive: true, Disabled: true})
	g.Begin(12)
	require.Equal(t, []Mismatch{{1, 12, Structure, colBody}}, g.compare(12, 12))
	g.Wanted(12, 12, g.form, func(slot Slot, form Form) {
		assert.Equal(t, Slot(1), slot)
		assert.Equal(t, whole, form)
		g.forms[slot] = form
	})
	g.Correct(12, 12)
	g.Cut(12)
	assert.Equal(t, byte(77), g.Column(12, colLocal)[8])
	assert.Empty(t, g.compare(12, 12))
	assert.Equal(t, Form{Alive: true, Disabled: true}, g.FormAt(1, 11, g.form(1)), "earlier ticks are as they were predicted")
}

// TestGone despawns an entity on the server. If the prediction has despawned it too, nothing
// differs, and a rollback does not bring the entity back.
func TestGone(t *testing.T) {
	g := newGame(t, 2)
	g.agree(10)
	g.Begin(11)
	g.change(11, 1, Form{Alive: true, Disabled: true})
	g.Begin(12)
	for slot := Slot(1); slot <= 2; slot++ {
		*g.Confirmed(slot) = Confirmed{Tick: 11, Known: true, Gone: true}
		g.Note(slot)
	}
	assert.Equal(t, []Mismatch{{2, 11, Despawned, -1}}, g.compare(11, 12))
	got := map[Slot]Form{}
	g.Wanted(11, 11, g.form, func(slot Slot, form Form) { got[slot] = form })
	assert.Equal(t, map[Slot]Form{2: {Alive: true, Disabled: true}}, got)
}

// TestSpawnedKeepsWhatItCameWith checks that an entity that is confirmed for a tick before its
// history begins has at that tick the columns that it had at first.
func TestSpawnedKeepsWhatItCameWith(t *testing.T) {
	g := newGame(t, 1)
	g.Grow(3)
	g.Begin(11)
	g.Begin(12)
	form := Form{Alive: true, Mask: set.MaskOf(colBody, colLocal)}
	g.change(13, 2, form) // a change between two ticks
	g.Backfill(2, colLocal, []byte("12345678"))
	*g.Confirmed(2) = Confirmed{Tick: 11, Known: true, Mask: set.MaskOf(colBody)}
	g.Note(2)
	require.Equal(t, []Mismatch{{2, 11, Spawned, -1}}, g.compare(11, 12))
	g.Wanted(11, 11, g.form, func(Slot, Form) { t.Error("it has this form") })
	g.Cut(11)
	assert.Equal(t, form, g.FormAt(2, 11, form))
	assert.Equal(t, Form{}, g.FormAt(2, 10, form))
	assert.Equal(t, "12345678", string(g.Column(11, colLocal)[16:24]))
}

// TestExcludedIsLeftAlone checks that an excluded slot is not compared, wanted, due or corrected.
func TestExcludedIsLeftAlone(t *testing.T) {
	g := newGame(t, 1)
	g.agree(10)
	g.Exclude(1, true)
	g.ConfirmedValue(1, colBody)[0] = 9
	g.Begin(11)
	g.change(11, 1, Form{Alive: true, Disabled: true})
	assert.Empty(t, g.compare(10, 11))
	g.Wanted(10, 10, g.form, func(Slot, Form) { t.Error("it is excluded") })
	g.Correct(10, 10)
	assert.Zero(t, g.Column(10, colBody)[12])
	assert.Empty(t, g.Due(nil, 10))
	g.Exclude(1, false)
	assert.Equal(t, []Slot{1}, g.Due(nil, 10))
	assert.Len(t, g.compare(10, 11), 1)
}

// TestHistoryIsBounded checks that ticks that are too old are dropped, with the records of their
// structure.
func TestHistoryIsBounded(t *testing.T) {
	g := newGame(t, 1)
	bits := []Form{{Alive: true}, {Alive: true, Mask: set.MaskOf(colBody)}}
	for tick := entangle.Tick(11); tick < 5000; tick++ {
		g.Begin(tick)
		g.change(tick, 1, bits[tick%2])
	}
	assert.False(t, g.Holds(4991))
	assert.True(t, g.Holds(4992))
	assert.Len(t, g.log.buf, 64)
	assert.EqualValues(t, 7, g.log.end-g.log.first)
	g.Begin(6000)
	assert.False(t, g.Holds(4999))
	newest, ok := g.Newest()
	assert.True(t, ok)
	assert.EqualValues(t, 6000, newest)
	g.Cut(5999)
	_, ok = g.Newest()
	assert.False(t, ok)
	assert.Nil(t, g.Column(6000, colBody))
}

// TestClearComparesAgain checks that the confirmed state is kept by Clear, and compared with the
// new history.
func TestClearComparesAgain(t *testing.T) {
	g := newGame(t, 2)
	g.agree(10)
	require.Empty(t, g.compare(10, 10))
	g.Clear()
	assert.False(t, g.Holds(10))
	assert.Empty(t, g.compare(10, 10), "there is no history")
	g.Begin(11)
	g.forms[2] = Form{Alive: true}
	g.Column(11, colBody)[12] = 1
	assert.Equal(t, []Mismatch{{2, 11, Structure, colBody}, {1, 11, Value, colBody}}, g.compare(11, 11))
}

// TestSlotOfAnother checks that the confirmed state of a slot does not apply to the next entity
// with that slot.
func TestSlotOfAnother(t *testing.T) {
	g := newGame(t, 1)
	g.agree(10)
	g.Begin(11)
	g.change(11, 1, Form{Alive: true, Disabled: true})
	g.Forget(1)
	g.forms[1] = Form{}
	g.Begin(12)
	g.change(12, 1, Form{Alive: true, Mask: set.MaskOf(colHealth)})
	assert.Equal(t, Form{}, g.FormAt(1, 10, g.form(1)))
	assert.Equal(t, []Slot{1}, g.Touched(10))
	assert.Empty(t, g.Touched(12))
	g.Cut(10)
	assert.Empty(t, g.Touched(0))
	assert.Empty(t, g.compare(10, 12))
}

// TestSteadyTicksAllocateNothing runs ticks with changes of structure, confirmed state, comparisons
// and rollbacks.
func TestSteadyTicksAllocateNothing(t *testing.T) {
	g := newGame(t, 300)
	tick := entangle.Tick(10)
	due := make([]Slot, 0, 300)
	forms := []Form{g.forms[1], {Alive: true}}
	now := make([]Form, 301)
	for slot, form := range g.forms {
		now[slot] = form
	}
	form := func(slot Slot) Form { return now[slot] }
	visit := func(slot Slot, form Form) { now[slot] = form }
	ignore := func(Mismatch) {}
	turn := func() {
		tick++
		g.Begin(tick)
		for slot := Slot(tick%10) + 1; slot <= 300; slot += 10 {
			next := forms[(tick/10)%2]
			g.Changed(tick, slot, now[slot], next)
			now[slot] = next
			g.Column(tick, colBody)[int(slot)*12] = byte(tick)
			*g.Confirmed(slot) = Confirmed{Tick: tick - 3, Known: true, Mask: forms[0].Mask}
			g.ConfirmedValue(slot, colBody)[0] = byte(tick)
			g.Note(slot)
		}
		g.Compare(tick-4, tick, form, ignore)
		if tick%5 == 0 {
			g.Wanted(tick-4, tick-4, form, visit)
			g.Correct(tick-4, tick-4)
			g.Cut(tick - 4)
			for t := tick - 3; t != tick+1; t++ {
				g.Begin(t)
				due = g.Due(due[:0], t)
			}
		}
	}
	for range 100 {
		turn()
	}
	assert.Zero(t, alloctest.Count(100, turn))
}

// TestAgreedAndUndone checks a despawn on which prediction and server agree, but which a replay
// from an earlier tick does not repeat.
func TestAgreedAndUndone(t *testing.T) {
	g := newGame(t, 1)
	g.agree(10)
	require.Empty(t, g.compare(10, 10))
	whole := g.forms[1]
	g.Begin(11)
	g.change(11, 1, Form{Alive: true, Disabled: true})
	*g.Confirmed(1) = Confirmed{Tick: 11, Known: true, Gone: true}
	g.Note(1)
	require.Empty(t, g.compare(11, 11))
	g.Wanted(10, 11, g.form, func(slot Slot, form Form) { g.forms[slot] = form })
	require.Equal(t, whole, g.forms[1])
	g.Cut(10)
	g.Begin(11)
	assert.Equal(t, []Mismatch{{1, 11, Despawned, -1}}, g.compare(11, 11))
}

// TestShelvedTickCanBeReadWhileItIsComputedAgain checks that the columns that Shelve took out stay
// unchanged, and that the tick is held again only after Begin.
func TestShelvedTickCanBeReadWhileItIsComputedAgain(t *testing.T) {
	g := newGame(t, 1)
	g.Column(10, colHealth)[4] = 5
	g.ShelveCopy(10)
	assert.True(t, g.Holds(10))
	assert.Equal(t, byte(5), g.shelf.cols[colHealth][4])
	g.Shelve(10)
	assert.False(t, g.Holds(10))
	g.Begin(10)
	g.Column(10, colHealth)[4] = 6
	assert.Equal(t, byte(5), g.shelf.cols[colHealth][4])
}

// TestEachUnlikeFindsWhatIsOtherwise checks that exactly the values that differ are found, each
// once, in whatever order the two ticks were written.
func TestEachUnlikeFindsWhatIsOtherwise(t *testing.T) {
	orders := [][]uint32{nil, {1, 2, 3, 4}, {4, 2, 1, 3}, {3, 4, 1}}
	for _, was := range orders {
		for _, is := range orders {
			g := newGame(t, 4)
			g.writeIn(10, was, [4]byte{11, 12, 13, 14})
			g.Shelve(10)
			g.Begin(10)
			g.writeIn(10, is, [4]byte{11, 92, 13, 94})
			found := map[Slot][2]byte{}
			g.EachUnlike(10, colHealth, func(slot Slot, was, is []byte) {
				require.NotContains(t, found, slot)
				found[slot] = [2]byte{was[0], is[0]}
			})
			for slot, want := range map[Slot][2]byte{2: {12, 92}, 4: {14, 94}} {
				if (was == nil || slices.Contains(was, uint32(slot))) && (is == nil || slices.Contains(is, uint32(slot))) {
					assert.Equal(t, want, found[slot], "%v, then %v", was, is)
				}
			}
			assert.NotContains(t, found, Slot(1))
			assert.NotContains(t, found, Slot(3))
		}
	}
}

// writeIn writes the health of the slots from 1 on, by slot if order is nil, otherwise in that
// order.
func (g *game) writeIn(tick entangle.Tick, order []uint32, values [4]byte) {
	if order == nil {
		for i, v := range values {
			g.Column(tick, colHealth)[(1+i)*4] = v
		}
		return
	}
	g.Arrange(tick, order)
	for place, slot := range order {
		g.Placed(tick, colHealth)[place*4] = values[slot-1]
	}
}

// A rollback to a tick drops the records of later changes, and no others. There is one record for
// each slot and tick, however often the tick is simulated.
//
// Proves: B2
func TestCutForgetsWhatChangedAfterATick(t *testing.T) {
	g := newGame(t, 1)
	whole := g.forms[1]
	without := Form{Alive: true, Mask: set.MaskOf(colBody)}
	g.Begin(11)
	g.Changed(11, 1, without, whole)
	for range 100 {
		g.Begin(12)
		g.Changed(12, 1, whole, without)
		g.Begin(13)
		g.Changed(13, 1, without, whole)
		assert.Equal(t, []Slot{1}, g.Touched(11))
		assert.Equal(t, whole, g.FormAt(1, 11, whole))
		assert.Equal(t, without, g.FormAt(1, 12, whole))
		g.Cut(11)
		assert.Empty(t, g.Touched(11))
		assert.Equal(t, []Slot{1}, g.Touched(10))
		assert.Equal(t, without, g.FormAt(1, 10, whole))
		assert.EqualValues(t, 1, g.log.end-g.log.first)
	}
}
