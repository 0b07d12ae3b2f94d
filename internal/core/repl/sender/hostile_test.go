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

// A client requests a group again in every tick, while other groups enter and leave its view, or
// many do in every tick. The number of handles that wait to be freed does not grow with time.
//
// Proves: R39, Z10
func TestRequestsForGroupsHoldUpNoMemory(t *testing.T) {
	for groups, asks := range map[repl.Slot]bool{10: true, 11: false, 400: false} {
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
		})
		all, _ := p.Group(groups)
		most := 0
		for i := range 2000 {
			if asks {
				p.HandleResync(all)
			}
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
		assert.LessOrEqual(t, most, int(groups), "asks: %v", asks)
	}
}
