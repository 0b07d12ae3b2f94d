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
	s.full(0, 10)
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
	s.full(0, math.MaxUint32-1)
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
	s.full(0, 10)
	s.shows(11)
	s.update(21, 20)
	s.shows(11)
	s.change(1, 20, 10)
	s.shows(21)
	assert.Empty(t, s.asks())
}

// In whatever order actions arrive, they are applied in the order of the sender.
//
// Proves: R23
func TestActionsApplyInTheirOrder(t *testing.T) {
	s := newScripted(t)
	s.full(0, 10)
	s.change(3, 40, 30)
	s.change(2, 30, 20)
	s.shows(10)
	s.change(1, 20, 10)
	s.shows(40)
	s.gone(5, 60)
	s.shows(40)
	s.change(4, 50, 40)
	s.shows(0)
	assert.Zero(t, s.copy.Len())
}

// The baseline of an action may be the values of an update that waits with it.
func TestAnUpdateOfThePresentStructureGoesBeforeTheNextAction(t *testing.T) {
	s := newScripted(t)
	s.update(12, 10)
	s.change(1, 20, 12)
	s.full(0, 10)
	s.shows(20)
	assert.Empty(t, s.asks())
}

func TestAFullAppliesAtOnceAndWhatItOvertookIsDropped(t *testing.T) {
	s := newScripted(t)
	s.full(0, 10)
	s.full(3, 40)
	s.shows(40)
	s.change(1, 20, 10)
	s.change(2, 30, 20)
	s.shows(40)
	s.change(4, 50, 40)
	s.shows(50)
}

// A group cannot apply an action if the replica does not have its baseline. The group is requested
// once, however often that is noticed, and keeps its state until the full arrives.
func TestAGroupThatCannotBeFollowedIsAskedForOnce(t *testing.T) {
	s := newScripted(t)
	s.full(0, 10)
	s.change(1, 15, 13)
	assert.Equal(t, []repl.Handle{0}, s.asks())
	s.change(2, 17, 14)
	assert.Empty(t, s.asks())
	s.shows(10)
	s.full(3, 20)
	s.shows(20)
	s.change(4, 30, 25)
	assert.Equal(t, []repl.Handle{0}, s.asks(), "a new doubt")
	assert.EqualValues(t, 3, s.copy.Stats().Resyncs)
}

// A server that again and again breaks groups and sends them in full makes the client keep one
// request for each, of which the client polls few in a frame.
func TestAHostileServerFillsNoListOfRequests(t *testing.T) {
	const groups = 3
	s := newScripted(t)
	for i := range entangle.Tick(1000) {
		for h := range repl.Handle(groups) {
			seq, tick := repl.Seq(3*i), 30*i
			s.get(one(repl.Full, h, seq, tick+10, 0), one(repl.Change, h, seq+1, tick+20, tick+15))
			if i%2 == 0 { // the next group under this handle
				s.get(record{kind: repl.Gone, group: h, seq: seq + 2, tick: tick + 25})
			}
		}
	}
	require.EqualValues(t, groups*1000, s.copy.Stats().Resyncs)
	assert.Equal(t, []repl.Handle{0, 1, 2}, s.asks())
	assert.Empty(t, s.asks())
}

// Requests are polled in turn, whatever is added meanwhile.
func TestRequestsTakeTurns(t *testing.T) {
	s := newScripted(t)
	tick := entangle.Tick(0)
	breakAll := func(groups ...repl.Handle) {
		for _, h := range groups {
			s.get(one(repl.Full, h, repl.Seq(tick), tick+1, 0), one(repl.Change, h, repl.Seq(tick+1), tick+3, tick+2))
			tick += 10
		}
	}
	poll := func() repl.Handle {
		h, ok := s.copy.PollResync()
		require.True(t, ok)
		return h
	}
	breakAll(700, 3, repl.Private, 64)
	assert.Equal(t, repl.Handle(3), poll())
	assert.Equal(t, repl.Handle(64), poll())
	breakAll(3, 65)
	assert.Equal(t, []repl.Handle{65, 700, repl.Private, 3}, s.asks())
}

// An update waits if its baseline never arrives, and its group is requested once, even if nothing
// more of it arrives.
func TestABaseThatIsNeverHeld(t *testing.T) {
	s := newScripted(t)
	s.full(0, 10)
	s.update(15, 13)
	for tick := entangle.Tick(16); tick <= 15+256; tick++ {
		require.NoError(t, s.copy.HandleUpdates(tick, nil))
		require.Empty(t, s.asks())
	}
	for tick := entangle.Tick(15 + 257); tick < 1000; tick++ {
		require.NoError(t, s.copy.HandleUpdates(tick, nil))
	}
	assert.Equal(t, []repl.Handle{0}, s.asks())
	s.full(1, 400)
	s.shows(400)
	assert.Zero(t, s.copy.WaitingBytes())
}

// While a full is in flight, any number of actions may arrive that cannot be applied. The replica
// follows their sequence, so that the full, and everything after it, still counts as newer.
func TestActionsThatCannotBeFollowedKeepTheirPlaceInTheSequence(t *testing.T) {
	for passed := range repl.Seq(3 * repl.SeqCycle) {
		s := newScripted(t)
		s.full(0, 10)
		for i := range passed {
			tick := 20 + 10*entangle.Tick(i)
			s.change((1+i)%repl.SeqCycle, tick, tick-1)
		}
		s.shows(10)
		s.full((1+passed)%repl.SeqCycle, 1000)
		s.shows(1000)
		s.change((2+passed)%repl.SeqCycle, 1010, 1000)
		s.shows(1010)
	}
}

// The end of a group never overtakes a requested full: the full would bring the group back, and no
// other end would follow.
func TestAnEndWaitsForTheFullBeforeIt(t *testing.T) {
	s := newScripted(t)
	s.full(0, 10)
	s.change(1, 20, 15)
	require.Equal(t, []repl.Handle{0}, s.asks())
	s.gone(3, 40)
	s.full(2, 30)
	s.shows(0)
	assert.Zero(t, s.copy.Len())
}

// A group that could not apply actions still ends when its end arrives.
func TestAnEndAfterActionsThatCouldNotBeFollowed(t *testing.T) {
	s := newScripted(t)
	s.full(0, 10)
	s.gone(3, 40)
	s.change(2, 30, 25)
	s.shows(10)
	s.change(1, 20, 15)
	s.shows(0)
	assert.Zero(t, s.copy.Len())
}

func TestAHandleIsUsedAgainAfterItsEnd(t *testing.T) {
	s := newScripted(t)
	s.full(0, 10)
	s.gone(1, 20)
	s.shows(0)
	s.update(31, 30)
	s.full(0, 30)
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
	s.full(0, 10)
	s.shows(100)
	assert.Zero(t, s.copy.Stats().Overflow)
}

// At most 16 updates of one group wait, from different baselines. For one more the oldest is
// dropped. The group is not requested, because its sender does not build on waiting updates.
func TestSixteenUpdatesOfAGroupWait(t *testing.T) {
	s := newScripted(t)
	s.full(0, 10)
	for i := range entangle.Tick(16) {
		s.update(21+i, 20+i)
	}
	assert.Empty(t, s.asks())
	s.update(40, 36)
	assert.Empty(t, s.asks())
	assert.EqualValues(t, 1, s.copy.Stats().Overflow)
	s.change(1, 20, 10)
	s.shows(20)
	s.change(2, 36, 20)
	s.shows(40)
}

// Waiting records are bounded by bytes, too. An action that exceeds the limit is skipped. No group
// is requested twice, and the full brings the group back into sequence.
func TestWhatFindsNoRoomIsPassedOver(t *testing.T) {
	s := newScripted(t)
	s.full(0, 10)
	s.fillUp()
	s.change(2, 30, 20)
	s.gone(4, 50)
	s.change(3, 40, 30)
	assert.Contains(t, s.asks(), repl.Handle(0))
	_, known := s.copy.Held(0)
	assert.True(t, known, "the end of a group finds room: it waits for what is before it")
	s.change(1, 20, 10)
	_, known = s.copy.Held(0)
	assert.False(t, known)
	s.get(one(repl.Full, 0, 0, 60, 0))
	s.get(one(repl.Change, 0, 1, 70, 60))
	held, _ := s.copy.Held(0)
	assert.EqualValues(t, 70, held)
}

// An action that was skipped before a full is not missing after it. An action that was skipped
// after the full is missing, and the group is requested again.
func TestAFullOvertakesWhatWasPassedOver(t *testing.T) {
	s := newScripted(t)
	s.full(0, 10)
	s.fillUp()
	s.change(2, 30, 20)
	s.change(4, 50, 40)
	require.Equal(t, []repl.Handle{0}, s.asks())
	s.full(3, 40)
	held, _ := s.copy.Held(0)
	assert.EqualValues(t, 40, held)
	assert.Equal(t, []repl.Handle{0}, s.asks())
	s.full(5, 60)
	for i := range entangle.Tick(8) { // no trace of a skipped action remains in the cycle of sequences
		s.change((6+repl.Seq(i))%repl.SeqCycle, 70+10*i, 60+10*i)
	}
	held, _ = s.copy.Held(0)
	assert.EqualValues(t, 140, held)
	assert.Empty(t, s.asks())
}

// with returns a function for changes with references, of a group of one, which wait.
func with(refs []repl.Ref) func(repl.Handle) record {
	return func(h repl.Handle) record {
		r := one(repl.Change, h, 2, 30, 20)
		r.refs = refs
		return r
	}
}

// fillUp makes so many records wait that no other fits.
func (s *scripted) fillUp() {
	h := repl.Handle(0)
	for _, refs := range [][]repl.Ref{make([]repl.Ref, 4000), nil} {
		for before := s.copy.Stats().Overflow; s.copy.Stats().Overflow == before; {
			h++
			require.Less(s.t, h, repl.Handle(1000), "waiting bodies count nothing")
			s.get(one(repl.Full, h, 0, 10, 0))
			s.get(with(refs)(h))
		}
	}
	s.asks()
}

// Records that a full has overtaken are freed at once.
func TestOvertakenRecordsGiveTheirRoomBack(t *testing.T) {
	s := newScripted(t)
	many := make([]repl.Ref, 4000)
	for h := range repl.Handle(1000) {
		s.get(one(repl.Full, h, 0, 10, 0))
		s.get(with(many)(h))
		s.get(one(repl.Full, h, 3, 40, 0))
	}
	assert.Zero(t, s.copy.Stats().Overflow)
}

// The group of a record that waits for long is requested.
func TestPatienceEnds(t *testing.T) {
	s := newScripted(t)
	s.full(0, 10)
	s.update(21, 20)
	s.update(21+256, 30)
	assert.Empty(t, s.asks())
	s.update(21+256+65, 40) // the next search
	assert.Equal(t, []repl.Handle{0}, s.asks())
	s.update(21+256+130, 50)
	assert.Empty(t, s.asks())
	assert.EqualValues(t, 1, s.copy.Stats().Resyncs)
}

// An update that replaces another one has waited since that one arrived.
func TestPatienceWithReplacedUpdates(t *testing.T) {
	s := newScripted(t)
	s.full(0, 10)
	for tick := entangle.Tick(21); tick <= 21+256; tick += 32 {
		s.update(tick, 20)
	}
	assert.Empty(t, s.asks())
	assert.EqualValues(t, 8, s.copy.Stats().Replaced)
	s.update(21+256+65, 20)
	assert.Equal(t, []repl.Handle{0}, s.asks())
}

// However many groups have updates and no full, few of them take memory, and a full finds room.
func TestUpdatesOfManyStrangers(t *testing.T) {
	s := newScripted(t)
	for h := range repl.Handle(20_000) {
		tick := 10 + entangle.Tick(h)
		s.get(one(repl.Update, h, 0, tick, tick-1))
	}
	assert.Zero(t, s.copy.Len())
	assert.Less(t, s.copy.WaitingBytes(), 8193*72)
	require.NoError(t, s.copy.HandleUpdates(20_010, join(run(one(repl.Update, 25_000, 0, 20_010, 20_009)), markOf(20_010, 0, true))))
	s.confirmed(0)
	s.get(one(repl.Full, 30_000, 0, 30_000, 0))
	assert.Equal(t, 1, s.copy.Len(), "a full finds room, whoever waits")
}

// At most 8,192 groups with an update may wait for a first full, and as many in addition with an
// action.
func TestSoManyStrangers(t *testing.T) {
	s := newScripted(t)
	for h := range repl.Handle(8192) {
		s.get(one(repl.Update, h, 0, 20, 10))
	}
	before := s.copy.Stats().Overflow
	s.get(one(repl.Update, 8192, 0, 20, 10))
	require.Equal(t, before+1, s.copy.Stats().Overflow)
	for h := range repl.Handle(100) {
		s.get(record{kind: repl.Gone, group: 10_000 + h, seq: 1, tick: 20})
	}
	require.Empty(t, s.asks())

	s = newScripted(t)
	err, actions := error(nil), repl.Handle(0)
	for ; err == nil; actions++ {
		err = s.try(one(repl.Change, actions, 1, 20, 10))
	}
	require.ErrorIs(t, err, receiver.ErrOverload)
	require.EqualValues(t, 2*8192+1, actions)
	s.get(one(repl.Full, 50_000, 0, 20, 0))
	s.holds(50_000, 20)
}

// A group is found by its id while it exists.
func TestSlotsAreFoundByID(t *testing.T) {
	s := newScripted(t)
	_, ok := s.copy.Slot(repl.ID{})
	require.False(t, ok)
	s.full(0, 10)
	slot, ok := s.copy.Slot(repl.ID{})
	require.True(t, ok)
	assert.Contains(t, s.sink.entities, slot)
	_, ok = s.copy.Slot(repl.ID{Member: 1})
	assert.False(t, ok)
	s.gone(1, 20)
	_, ok = s.copy.Slot(repl.ID{})
	assert.False(t, ok)
}

// An action that a full overtook may arrive after the end of its group. It must not take the place
// of an action of the next group under that handle.
func TestAStragglerOfAnEarlierGroupTakesNoPlace(t *testing.T) {
	s := newScripted(t)
	s.full(0, 10)
	s.full(2, 20) // requested, and overtakes the action of sequence 1
	s.gone(3, 30)
	s.change(1, 15, 10) // the late action
	s.change(1, 50, 40)
	s.update(60, 50)
	s.full(0, 40)
	s.shows(60)
}
