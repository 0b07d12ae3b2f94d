package view_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Views that hide the same are one view, however many peers use it, and others are different views. The ID of a view
// without users is reused.
func TestViewsEqualPlainOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table view.Table
		most, plain, users := 0, map[view.ID][]view.HiddenMember{}, map[view.ID]int{}
		for range 60 {
			var parts []view.HiddenMember
			for n := range repl.Member(3) {
				p := view.HiddenMember{Number: n}
				switch rapid.IntRange(0, 3).Draw(t, "hides") {
				case 0:
					p.Whole = true
				case 1:
					p.Comps = set.MaskOf(rapid.IntRange(0, 1).Draw(t, "component"))
				case 2: // of the same hash as its components alone
					p.Whole, p.Comps = true, set.MaskOf(0)
				}
				parts = p.AppendTo(parts)
			}
			id, ok := table.Intern(parts)
			require.True(t, ok)
			for other, have := range plain {
				require.Equal(t, slices.Equal(have, parts), other == id)
			}
			if len(parts) == 0 {
				require.Zero(t, id)
				continue
			}
			table.AddUsers(id, 1)
			if _, some := plain[id]; !some {
				most = max(most, len(plain)+1)
				require.LessOrEqual(t, int(id), most, "numbers are used again")
			}
			plain[id] = slices.Clone(parts)
			users[id]++
			for n := range repl.Member(3) {
				at := slices.IndexFunc(parts, func(p view.HiddenMember) bool { return p.Number == n })
				hidden, some := table.Hidden(id, n)
				require.Equal(t, at >= 0, some)
				if some {
					require.Equal(t, parts[at], hidden)
				}
			}
			for _, id := range slices.Sorted(maps.Keys(plain)) {
				if rapid.IntRange(0, 4).Draw(t, "drop") == 0 {
					table.AddUsers(id, -1)
					if users[id]--; users[id] == 0 {
						delete(plain, id)
					}
				}
				if _, some := plain[id]; some {
					require.Equal(t, plain[id], table.HiddenMembers(id))
				}
			}
		}
	})
}

// Views of one hash are found, and forgotten, each on its own, whichever of them goes first.
func TestViewsOfOneHashAreForgottenOneByOne(t *testing.T) {
	of := func(n int) (parts []view.HiddenMember) { // eight that differ in Whole, which the hash does not contain
		for k := range 3 {
			parts = append(parts, view.HiddenMember{Number: repl.Member(k), Whole: n>>k&1 != 0, Comps: set.MaskOf(0)})
		}
		return parts
	}
	for first := range 4 {
		var table view.Table
		var ids [4]view.ID
		for n := range ids {
			ids[n], _ = table.Intern(of(n))
			table.AddUsers(ids[n], 1)
		}
		table.AddUsers(ids[first], -1)
		again, _ := table.Intern(of(first))
		require.Equal(t, ids[first], again, "its number is free")
		for n := range ids {
			id, _ := table.Intern(of(n))
			require.Equal(t, ids[n], id)
		}
		other, _ := table.Intern(of(5))
		require.NotContains(t, ids, other)
	}
}
