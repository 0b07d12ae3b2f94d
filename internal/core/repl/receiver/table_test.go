package receiver

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// A table equals a map of groups by handle that iterates by rising handle. It also remembers when
// groups ended.
func TestTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table table
		twin, ended := map[repl.Handle]*group{}, map[repl.Handle]entangle.Tick{}
		handle := rapid.OneOf(rapid.Uint32Range(0, 3*pageSize), rapid.Uint32Range(0, 2*repl.MaxGroups-1))
		for range rapid.IntRange(0, 200).Draw(t, "operations") {
			h := repl.Handle(handle.Draw(t, "handle"))
			require.Same(t, twin[h], table.get(h))
			tick, ok := table.ended(h)
			want, was := ended[h]
			require.Equal(t, want, tick)
			require.Equal(t, was, ok)
			if g := twin[h]; g != nil {
				ended[h] = entangle.Tick(rapid.Uint32().Draw(t, "tick"))
				table.end(h, ended[h])
				table.removeGroup(g)
				delete(twin, h)
			} else {
				g := &group{handle: h}
				table.put(g)
				twin[h] = g
			}
		}
		require.Equal(t, len(twin), table.n)
		last := -1
		table.each(func(g *group) {
			require.Greater(t, int(g.handle), last)
			last = int(g.handle)
			require.Same(t, twin[g.handle], g)
			delete(twin, g.handle)
			table.removeGroup(g)
		})
		require.Empty(t, twin)
		require.Zero(t, table.n)
	})
}

// While a group is lent, the loan holds its progress. A lookup of the group ends the loan, and
// first updates the group from it. Only a group that a run may write to is lent.
func TestALoanEndsWhenItsGroupIsAskedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table table
		handle := repl.Handle(rapid.Uint32Range(0, 2*pageSize-1).Draw(t, "handle"))
		g := &group{handle: handle, members: []member{{slot: 7}}}
		g.known, g.held = rapid.Bool().Draw(t, "known"), 3
		if rapid.Bool().Draw(t, "waits") {
			g.waits = append(g.waits, &waiting{})
		}
		if g.members[0].number = repl.Member(rapid.IntRange(0, 1).Draw(t, "number")); rapid.Bool().Draw(t, "empty") {
			g.members = nil
		}
		fit := g.known && len(g.waits) == 0 && g.leads()
		loans, _ := table.loansOf([]repl.Handle{handle})
		require.Nil(t, loans)
		table.put(g)
		loans, _ = table.loansOf([]repl.Handle{handle})
		l := &loans[handle%pageSize]
		require.Equal(t, repl.NoSlot, l.slot)
		require.Equal(t, fit, table.lend(handle))
		if !fit {
			require.Equal(t, repl.NoSlot, l.slot)
			return
		}
		require.Equal(t, loan{slot: 7, held: 3}, *l)
		l.held = 9
		if rapid.Bool().Draw(t, "each") {
			table.each(func(each *group) { require.EqualValues(t, 9, each.held) })
		}
		require.EqualValues(t, 9, table.get(handle).held)
		require.Equal(t, repl.NoSlot, l.slot)
		g.held = 10
		require.EqualValues(t, 10, table.get(handle).held)
	})
}
