package receiver_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
)

// An update contains all changes since its baseline, so it applies to any state that is at least as
// new as its baseline.
func TestAnUpdateAppliesOntoAnythingAsNewAsItsBase(t *testing.T) {
	s := newScripted(t)
	s.full(10)
	s.update(12, 10)
	s.shows(12)
	s.update(14, 10) // its baseline is older than the replica
	s.shows(14)
	s.update(13, 10)
	s.update(14, 10)
	s.shows(14)
	assert.EqualValues(t, 2, s.copy.Stats().Stale, "older, and the same again")
}

func TestTicksWrapAround(t *testing.T) {
	s := newScripted(t)
	s.full(math.MaxUint32 - 1)
	s.update(3, math.MaxUint32-1)
	s.shows(3)
	s.update(math.MaxUint32, math.MaxUint32-1)
	s.shows(3)
}

// The sender sends action 1, update 2, action 3, update 4. Update 4 arrives first and waits for
// action 3.
//
// Proves: R21
func TestWhatArrivesBeforeItsActionWaits(t *testing.T) {
	s := newScripted(t)
	s.update(11, 10)
	s.shows(0)
	_, ok := s.copy.Held(0)
	assert.False(t, ok)
	assert.Zero(t, s.copy.Len())
	s.full(10)
	s.shows(11)
	s.update(21, 20)
	s.shows(11)
	s.change(20, 10)
	s.shows(21)
}

// In whatever order actions arrive, they are applied in the order of the sender: each waits for the one before it.
//
// Proves: R23
func TestActionsApplyInTheirOrder(t *testing.T) {
	s := newScripted(t)
	s.full(10)
	s.change(40, 30)
	s.change(30, 20)
	s.shows(10)
	s.change(20, 10)
	s.shows(40)
	s.gone(60, 50)
	s.shows(40)
	s.change(50, 40)
	s.shows(0)
	assert.Zero(t, s.copy.Len())
}

// The baseline of an action may be the values of an update that waits with it.
func TestAnUpdateOfThePresentStructureGoesBeforeTheNextAction(t *testing.T) {
	s := newScripted(t)
	s.update(12, 10)
	s.change(20, 12)
	s.full(10)
	s.shows(20)
}

// A full has no baseline. Actions that waited when it arrived, or arrive later, are dropped if they are not newer.
func TestAFullAppliesAtOnceAndWhatItOvertookIsDropped(t *testing.T) {
	s := newScripted(t)
	s.full(10)
	s.change(30, 20)
	s.full(40)
	s.shows(40)
	require.Zero(t, s.copy.WaitingBytes())
	s.change(20, 10)
	s.shows(40)
	require.EqualValues(t, 1, s.copy.Stats().Stale)
	s.change(50, 40)
	s.shows(50)
}

// An action that waits is applied when an update brings the group to its baseline.
func TestAnActionWaitsForAnUpdate(t *testing.T) {
	s := newScripted(t)
	s.full(10)
	s.change(30, 15)
	s.gone(40, 35)
	s.update(14, 10)
	s.shows(14)
	s.update(15, 10)
	s.shows(30)
	s.update(35, 30)
	s.shows(0)
}

// An update goes before an end that has waited with it: an orphaned entity stays as it is then.
func TestAnUpdateGoesBeforeTheEnd(t *testing.T) {
	s := newScripted(t)
	s.full(10)
	s.get(ends(0, 30, 20, leaver{0, repl.Orphaned}))
	s.update(25, 20)
	s.change(20, 10)
	require.EqualValues(t, 1, s.copy.Stats().Updates)
	require.Equal(t, []repl.ID{{}}, s.sink.orphaned)
}

// What has a baseline that the replica never reaches waits until a full is newer.
func TestABaseThatIsNeverHeld(t *testing.T) {
	s := newScripted(t)
	s.full(10)
	s.update(15, 13)
	s.change(20, 14)
	require.NoError(t, s.copy.HandleUpdates(1000, nil))
	s.shows(10)
	s.full(400)
	s.shows(400)
	assert.Zero(t, s.copy.WaitingBytes())
}

// The end of a group never overtakes a full: the full would bring the group back, and no other end would follow.
func TestAnEndWaitsForTheFullBeforeIt(t *testing.T) {
	s := newScripted(t)
	s.full(10)
	s.gone(40, 30)
	s.shows(10)
	s.full(30)
	s.shows(0)
	assert.Zero(t, s.copy.Len())
	assert.Zero(t, s.copy.WaitingBytes())
}

// The end of a group frees what waits for it.
func TestTheEndOfAGroupFreesWhatWaits(t *testing.T) {
	s := newScripted(t)
	s.full(10)
	s.update(15, 12)
	s.change(19, 15)
	s.gone(20, 10)
	s.shows(0)
	assert.Zero(t, s.copy.WaitingBytes())
}

func TestAHandleIsUsedAgainAfterItsEnd(t *testing.T) {
	s := newScripted(t)
	s.full(10)
	s.gone(20, 10)
	s.shows(0)
	s.update(31, 30)
	s.full(30)
	s.shows(31)
}

// A newer update replaces older ones of the same structure that wait, unless it needs more than
// they do.
//
// Proves: R22
func TestANewerUpdateReplacesWaitingOnes(t *testing.T) {
	s := newScripted(t)
	for tick := entangle.Tick(11); tick < 100; tick++ {
		s.update(tick, 10)
	}
	assert.EqualValues(t, 88, s.copy.Stats().Replaced)
	s.update(100, 50)
	assert.EqualValues(t, 88, s.copy.Stats().Replaced)
	s.full(10)
	s.shows(100)
	assert.Zero(t, s.copy.Stats().Overflow)
}

// At most 16 updates of one group wait, from different baselines. One more is dropped, and its sender does not build on
// waiting updates.
func TestSixteenUpdatesOfAGroupWait(t *testing.T) {
	s := newScripted(t)
	s.full(10)
	for i := range entangle.Tick(16) {
		s.update(21+i, 20+i)
	}
	s.update(40, 36)
	assert.EqualValues(t, 1, s.copy.Stats().Overflow)
	s.change(20, 10)
	s.shows(36)
	require.Zero(t, s.copy.WaitingBytes())
}

// What waits is bounded by bytes, too. Updates have half of the room. If actions find no room, the connection ends.
//
// Proves: Z17
func TestUpdatesLeaveRoomForActions(t *testing.T) {
	s := newScripted(t)
	s.copy.LimitWaiting(420)
	for h := range repl.Handle(10) {
		s.get(one(repl.Update, h, 31, 30))
	}
	require.EqualValues(t, 8, s.copy.Stats().Overflow)
	s.change(40, 30)
	s.change(50, 40)
	require.ErrorIs(t, s.try(one(repl.Change, 0, 60, 50)), receiver.ErrNoRoom)
}

// At most 64 actions of a group wait. One more ends the connection.
//
// Proves: Z17
func TestSoManyActionsOfAGroupWait(t *testing.T) {
	s := newScripted(t)
	for i := range entangle.Tick(64) {
		s.change(21+i, 20+i)
	}
	require.ErrorIs(t, s.try(one(repl.Change, 0, 85, 84)), receiver.ErrNoRoom)

	s = newScripted(t)
	for i := range entangle.Tick(64) {
		s.change(21+i, 20+i)
	}
	s.update(85, 84)
	s.full(20)
	s.shows(85)
	assert.Zero(t, s.copy.WaitingBytes())
}

// Records that a full has overtaken are freed at once.
func TestOvertakenRecordsGiveTheirRoomBack(t *testing.T) {
	s := newScripted(t)
	waits := one(repl.Change, 0, 30, 20)
	waits.refs = make([]repl.Ref, 4000)
	for h := range repl.Handle(1000) {
		waits.group = h
		s.get(one(repl.Full, h, 10, 0), waits, one(repl.Full, h, 40, 0))
		assert.Zero(t, s.copy.WaitingBytes())
	}
}

// However many groups have updates and no full, those for which there is no room take no memory, and a full finds room.
func TestUpdatesOfManyStrangers(t *testing.T) {
	s := newScripted(t)
	s.copy.LimitWaiting(1 << 20)
	for h := range repl.Handle(20_000) {
		tick := 10 + entangle.Tick(h)
		s.get(one(repl.Update, h, tick, tick-1))
	}
	assert.Zero(t, s.copy.Len())
	assert.Less(t, s.copy.WaitingBytes(), 1<<19)
	require.NoError(t, s.copy.HandleUpdates(20_010, join(run(one(repl.Update, 25_000, 20_010, 20_009)), markOf(20_010, 0, true))))
	s.confirmed(0)
	s.get(one(repl.Full, 30_000, 30_000, 0))
	assert.Equal(t, 1, s.copy.Len(), "a full finds room, whoever waits")
	assert.Less(t, receiver.CountGroups(s.copy), 1<<19/64)
}

// A group is found by its id while it exists.
func TestSlotsAreFoundByID(t *testing.T) {
	s := newScripted(t)
	_, ok := s.copy.Slot(repl.ID{})
	require.False(t, ok)
	s.full(10)
	slot, ok := s.copy.Slot(repl.ID{})
	require.True(t, ok)
	assert.Contains(t, s.sink.entities, slot)
	_, ok = s.copy.Slot(repl.ID{Member: 1})
	assert.False(t, ok)
	s.gone(20, 10)
	_, ok = s.copy.Slot(repl.ID{})
	assert.False(t, ok)
}

// An action that a full overtook may arrive after the end of its group. It is no action of the next group under that handle.
func TestAStragglerOfAnEarlierGroupTakesNoPlace(t *testing.T) {
	s := newScripted(t)
	s.full(10)
	s.full(20)
	s.gone(30, 20)
	s.change(15, 10) // the late action
	s.change(50, 40)
	s.update(60, 50)
	s.full(40)
	s.shows(60)
	require.Zero(t, s.copy.WaitingBytes())
}

// Late records of a group that has ended have no effect on the next group under its handle.
func TestStragglersOfAnEndedGroup(t *testing.T) {
	s := newScripted(t)
	s.full(10)
	s.gone(20, 10)
	stale := s.copy.Stats().Stale
	s.full(10)
	s.change(15, 10)
	s.update(20, 10)
	s.gone(20, 10)
	s.shows(0)
	require.Equal(t, stale+4, s.copy.Stats().Stale)
	require.Zero(t, s.copy.WaitingBytes())
	s.full(30)
	s.full(10)
	s.gone(20, 10)
	s.shows(30)
	s.change(40, 30)
	s.shows(40)
}

// A handle is reused when the end of its group is acknowledged, so the next group comes after the end.
func TestTheNextGroupBeforeTheEnd(t *testing.T) {
	s := newScripted(t)
	s.full(10)
	s.gone(30, 20)
	s.update(41, 40)
	s.change(20, 10)
	s.shows(0)
	require.Zero(t, s.copy.WaitingBytes())
	s.full(50)
	next := one(repl.Full, 0, 60, 0)
	next.generation = 1
	require.ErrorIs(t, s.try(next), receiver.ErrMalformed)
}
