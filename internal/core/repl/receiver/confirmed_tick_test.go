package receiver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
)

// frame passes a frame of items to the receiver.
func (s *scripted) frame(tick entangle.Tick, items ...[]byte) {
	s.t.Helper()
	require.NoError(s.t, s.copy.HandleUpdates(tick, join(items...)))
	s.check()
}

func join(items ...[]byte) (all []byte) {
	for _, item := range items {
		all = append(all, item...)
	}
	return all
}

// confirmed requires a confirmed tick; 0 stands for none.
func (s *scripted) confirmed(want entangle.Tick) {
	s.t.Helper()
	tick, ok := s.copy.ConfirmedTick()
	require.Equal(s.t, want, tick)
	require.Equal(s.t, want != 0, ok)
}

func TestATickSettlesWhenAllItsPartsHaveCome(t *testing.T) {
	orders(3, func(order []int) {
		s := newGroups(t)
		for n, i := range order {
			s.confirmed(0)
			s.frame(20, markOf(20, i, i == 2))
			s.frame(20, markOf(20, order[0], order[0] == 2)) // a repetition
			if n < 2 {
				s.confirmed(0)
			}
		}
		s.confirmed(20)
		s.frame(15, markOf(15, 0, true))
		s.confirmed(20)
	})
}

func TestALostPartNeverSettles(t *testing.T) {
	s := newGroups(t)
	s.frame(20, markOf(20, 0, false))
	s.frame(20, markOf(20, 2, true))
	s.frame(21, markOf(21, 0, true))
	s.confirmed(21)
	s.frame(20, markOf(20, 1, false))
	s.confirmed(21)
}

// An update that precedes the mark and waits delays the mark until its group has arrived or ended.
// An update after the mark does not.
func TestAMarkWaitsForTheUpdatesBeforeIt(t *testing.T) {
	for name, after := range map[string]record{
		"applied":   one(repl.Change, groupA, 19, 10),
		"overtaken": one(repl.Full, groupA, 30, 0),
		"ended":     ends(groupA, 25, 10),
	} {
		s := newGroups(t)
		s.sink.wantsNothing = false
		waits, fits := run(one(repl.Update, groupA, 20, 19)), run(one(repl.Update, groupB, 20, 10))
		s.frame(20, fits, markOf(20, 0, true), waits)
		s.confirmed(20)
		s = newGroups(t)
		s.sink.wantsNothing = false
		s.frame(20, fits, waits, markOf(20, 0, true))
		s.confirmed(0)
		s.frame(21, markOf(21, 0, true, need(groupA, 20)))
		s.confirmed(0)
		s.get(after)
		tick, _ := s.copy.ConfirmedTick()
		assert.EqualValues(t, 21, tick, name)
	}
}

// The needs of a mark are met by the present state of groups, not by waiting records.
func TestAMarkWaitsForItsNeeds(t *testing.T) {
	s := newGroups(t)
	s.frame(20, markOf(20, 0, true, need(groupA, 20), need(groupB, 10), need(77, 5)))
	s.get(one(repl.Change, groupA, 20, 15))
	s.confirmed(0)
	s.get(one(repl.Change, groupA, 15, 10))
	s.confirmed(0)
	s.sink.wantsNothing = false
	s.get(one(repl.Full, 77, 6, 0))
	s.confirmed(20)
}

// At most 64 ticks may be pending. The oldest is dropped for a newer one, and a tick older than all
// of them is not accepted.
func TestSoManyTicksArePending(t *testing.T) {
	s := newGroups(t)
	for i := range entangle.Tick(65) {
		s.frame(100+i, markOf(100+i, 0, true, need(groupA, 20+i)))
	}
	s.frame(99, markOf(99, 0, true, need(groupA, 15)))
	s.get(one(repl.Change, groupA, 20, 10))
	s.confirmed(0)
	s.get(one(repl.Change, groupA, 21, 20))
	s.confirmed(101)
	s.get(one(repl.Change, groupA, 90, 21))
	s.confirmed(164)
}

// A tick that waits for more groups than are allowed is never confirmed. The next one is.
func TestAMarkThatWaitsForTooMuch(t *testing.T) {
	s := newGroups(t)
	many := func(n int) (needs []repl.Need) {
		for range n {
			needs = append(needs, need(groupA, 20))
		}
		return needs
	}
	s.frame(20, markOf(20, 0, true, many(2048)...))
	s.frame(21, markOf(21, 0, true, many(2049)...))
	s.get(one(repl.Change, groupA, 30, 10))
	s.confirmed(20)
}

// A tick with parts that contradict each other is not confirmed, and later ones are.
func TestMarksThatContradict(t *testing.T) {
	for name, marks := range map[string][][]byte{
		"two lasts, falling":    {markOf(20, 2, true), markOf(20, 1, true)},
		"a part behind it":      {markOf(20, 1, true), markOf(20, 2, false)},
		"a part behind, before": {markOf(20, 2, false), markOf(20, 1, true)},
	} {
		s := newGroups(t)
		s.frame(20, marks[0])
		s.frame(20, marks[1])
		s.frame(20, markOf(20, 0, false))
		_, ok := s.copy.ConfirmedTick()
		require.False(t, ok, name)
		s.frame(21, markOf(21, 0, true))
		s.confirmed(21)
	}
}

func TestMarksThatAreMalformed(t *testing.T) {
	for name, mark := range map[string][]byte{
		"part 64":        markOf(20, 64, false),
		"a need to come": markOf(20, 0, true, need(groupA, 21)),
	} {
		s := newGroups(t)
		require.ErrorIs(t, s.copy.HandleUpdates(20, mark), receiver.ErrMalformed, name)
	}
}
