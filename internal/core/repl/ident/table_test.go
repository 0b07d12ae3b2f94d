package ident

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// A handle gets the next generation only if a peer was sent it, so that generations reveal nothing about hidden
// groups. After its last generation it is never allocated again.
//
// Proves: R27
func TestAHandleIsFreedUnderItsNextGeneration(t *testing.T) {
	var table Table
	for g := range GroupIndex(5) {
		h, ok := table.Allocate(g)
		require.True(t, ok && h == int(g))
	}
	copy(table.generations, []repl.Generation{5, 5, repl.MaxGeneration - 1, repl.MaxGeneration, repl.MaxGeneration})
	for h, used := range []bool{true, false, true, true, false} {
		table.Free(h, used)
	}
	type given struct {
		h          int
		generation repl.Generation
	}
	var got []given
	for range 5 {
		h, ok := table.Allocate(9)
		require.True(t, ok)
		got = append(got, given{h, table.Generation(h)})
	}
	assert.Equal(t, []given{{0, 6}, {1, 5}, {2, repl.MaxGeneration}, {4, repl.MaxGeneration}, {5, 0}}, got)
}

// No two groups ever have the same handle and generation, if the handles of groups that were sent are freed
// as used. The handle that has been free for longest is reused first.
//
// Proves: R27
func TestNoTwoGroupsHaveOneID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type id struct {
			h          int
			generation repl.Generation
		}
		var table Table
		sent, alive, free := map[id]GroupIndex{}, map[GroupIndex]id{}, []int(nil)
		for g := range GroupIndex(60) {
			h, ok := table.Allocate(g)
			require.True(t, ok)
			if len(free) > 0 {
				require.Equal(t, free[0], h)
				free = free[1:]
			}
			at := id{h, table.Generation(h)}
			alive[g] = at
			if rapid.Bool().Draw(t, "sent") {
				require.NotContains(t, sent, at)
				sent[at] = g
			}
			for _, old := range slices.Sorted(maps.Keys(alive)) {
				at := alive[old]
				found, ok := table.Find(at.h, at.generation)
				require.True(t, ok && found == old)
				if rapid.IntRange(0, 3).Draw(t, "end") > 0 {
					continue
				}
				_, used := sent[at]
				table.Free(at.h, used)
				delete(alive, old)
				free = append(free, at.h)
				_, ok = table.Find(at.h, at.generation)
				require.False(t, ok)
			}
		}
	})
}

// At most repl.MaxGroups handles are in use, and one that was never given out has no group, whatever a peer says.
//
// Proves: Z14
func TestATableHasNoHandlesBeyondItsLimit(t *testing.T) {
	var table Table
	_, ok := table.Find(0, 0)
	assert.False(t, ok)
	table.Groups, table.generations = make([]GroupIndex, repl.MaxGroups), make([]repl.Generation, repl.MaxGroups)
	_, ok = table.Allocate(7)
	assert.False(t, ok)
	_, ok = table.Find(repl.MaxGroups, 0)
	assert.False(t, ok)
	table.Free(5, true)
	h, ok := table.Allocate(7)
	assert.True(t, ok && h == 5)
	_, ok = table.Allocate(8)
	assert.False(t, ok)
}
