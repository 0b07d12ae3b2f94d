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
			require.Same(t, twin[h], table.find(h))
			end, was := ended[h]
			for _, tick := range []entangle.Tick{end, end + 1, entangle.Tick(rapid.Uint32().Draw(t, "asked"))} {
				require.Equal(t, was && !end.Before(tick), table.endedBy(h, tick))
			}
			table.grow(rapid.IntRange(0, 3).Draw(t, "grow"))
			if g := twin[h]; g != nil {
				require.Equal(t, []member{{slot: repl.Slot(h)}}, g.members)
				g.members = g.members[:0]
				ended[h] = entangle.Tick(rapid.Uint32().Draw(t, "tick"))
				table.setEnded(h, ended[h])
				table.remove(g)
				delete(twin, h)
			} else {
				twin[h] = table.add(h)
				require.Empty(t, twin[h].members)
				require.Empty(t, twin[h].waiting.all())
				twin[h].members = append(twin[h].members, member{slot: repl.Slot(h)})
				if rapid.Bool().Draw(t, "known") {
					table.setKnown(twin[h])
				}
			}
		}
		known := 0
		for _, g := range twin {
			if g.known {
				known++
			}
		}
		require.Equal(t, known, table.len())
		last := -1
		table.each(func(g *group) {
			require.Greater(t, int(g.handle), last)
			last = int(g.handle)
			require.Same(t, twin[g.handle], g)
			delete(twin, g.handle)
			table.remove(g)
		})
		require.Empty(t, twin)
		require.Zero(t, table.known)
	})
}

// While a group is cached, the cache has its tick. A lookup of the group ends that, and
// first updates the group. Only a group that a run may write to is cached.
func TestUncachedWritesTheTickBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table table
		handle := repl.Handle(rapid.Uint32Range(0, 2*pageSize-1).Draw(t, "handle"))
		cache, _ := table.cacheOf([]repl.Handle{handle})
		require.Nil(t, cache)
		g := table.add(handle)
		g.members = []member{{slot: 7}}
		g.known, g.tick = rapid.Bool().Draw(t, "known"), 3
		if rapid.Bool().Draw(t, "waits") {
			g.waiting = &queue{{}}
		}
		if g.members[0].number = repl.Member(rapid.IntRange(0, 1).Draw(t, "number")); rapid.Bool().Draw(t, "empty") {
			g.members = nil
		}
		fit := g.known && len(g.waiting.all()) == 0 && len(g.members) > 0 && g.members[0].number == 0
		cache, _ = table.cacheOf([]repl.Handle{handle})
		l := &cache[handle%pageSize]
		require.Equal(t, repl.NoSlot, l.slot)
		require.Equal(t, fit, table.cacheGroup(handle))
		if !fit {
			require.Equal(t, repl.NoSlot, l.slot)
			return
		}
		require.Equal(t, cached{slot: 7, tick: 3}, *l)
		l.tick = 9
		if rapid.Bool().Draw(t, "each") {
			table.each(func(each *group) { require.EqualValues(t, 9, each.tick) })
		}
		require.EqualValues(t, 9, table.find(handle).tick)
		require.Equal(t, repl.NoSlot, l.slot)
		g.tick = 10
		require.EqualValues(t, 10, table.find(handle).tick)
	})
}

// However groups come and go, no more memory is made for groups than there were at a time: those that are left of a run
// do not keep the memory of the others from being used.
//
// Proves: Z17
func TestGroupsThatCameTogetherAndStayAlone(t *testing.T) {
	const runs, length, cycles = 4, 1000, 20
	var table table
	n, most, used := 0, 0, map[*group]bool{}
	for cycle := range repl.Handle(cycles) {
		for first := range repl.Handle(runs) {
			table.grow(length - int(cycle))
			for h := first*length + cycle; h < (first+1)*length; h++ {
				used[table.add(h)] = true
				n++
			}
		}
		most = max(most, n)
		for first := range repl.Handle(runs) {
			for h := first*length + cycle + 1; h < (first+1)*length; h++ {
				table.remove(table.find(h))
				n--
			}
		}
	}
	require.Equal(t, cycles*runs, n)
	require.Equal(t, most, len(used))
}

// CountGroups returns the number of groups of which a receiver knows, with a full or without.
func CountGroups(r *Receiver) (n int) {
	r.replica.groups.each(func(*group) { n++ })
	return n
}
