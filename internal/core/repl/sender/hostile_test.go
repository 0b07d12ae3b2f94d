package sender

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Many groups enter and leave a client's view in every tick. The number of handles that wait to be freed does not grow
// with time.
//
// Proves: R39, Z10
func TestGroupsThatComeAndGoHoldUpNoMemory(t *testing.T) {
	for _, groups := range []repl.Slot{10, 400} {
		w, tick, name := NewWorld(nil, 1), entangle.Tick(0), uint16(0)
		p := w.NewPeer()
		step := func(what func()) {
			tick++
			w.Begin(tick)
			what()
			w.Commit()
			for len(p.AppendActions(nil, 500)) > 0 {
				name++
				p.ActionsSent(name)
				p.HandleDelivered(name)
			}
		}
		step(func() {
			for s := range groups {
				w.SpawnAt(s, set.Mask{}, group.Place{Private: true})
			}
			w.Spawn(groups, set.Mask{})
			w.Spawn(groups+1, set.Mask{}) // these two are sent together
		})
		most := 0
		for i := range 2000 {
			step(func() {
				for s := range groups {
					if i%2 == 0 {
						p.Show(s)
					} else {
						p.Hide(s)
					}
				}
			})
			most = max(most, p.groups.Private.IDs.Len())
		}
		require.Positive(t, p.stats.Actions)
		assert.LessOrEqual(t, most, int(groups))
	}
}
