package receiver

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// A table is a map of groups by handle, whose groups come by rising handle, and
// remembers when they ended.
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
				table.drop(g)
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
			table.drop(g)
		})
		require.Empty(t, twin)
		require.Zero(t, table.n)
	})
}
