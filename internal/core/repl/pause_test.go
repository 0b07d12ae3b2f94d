package repl_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl/group"
)

// A peer still has a paused member, so it does not get it in another group before the member has
// left its own, whether it resumes in the tick of the move or earlier.
func TestWhatResumesElsewhereLeavesItsGroupFirst(t *testing.T) {
	for name, ticks := range map[string][]func(*network){
		"at once":    {func(n *network) { n.world.Resume(1); n.moveTo(1, group.Place{Name: 2}) }},
		"one by one": {func(n *network) { n.world.Resume(1) }, func(n *network) { n.moveTo(1, group.Place{Name: 2}) }},
	} {
		for first := range len(ticks) + 1 {
			t.Run(fmt.Sprint(name, first), func(t *testing.T) {
				n := newNetwork(t, 1, 3, 0)
				e := n.join()
				n.step(func() {
					for _, name := range []uint32{2, 1, 1} { // the other group's handle may be lower, so that it comes first
						n.spawnAt(group.Place{Name: name})
					}
				})
				for range 5 {
					n.step(func() {})
				}
				n.step(func() { n.world.Pause(1) })
				var all []func()
				for _, change := range ticks {
					n.tick++
					tick(n.world, func() { change(n) })
					all = append(all, n.messagesTo(e)...)
				}
				require.Len(t, all, len(ticks)+1)
				for _, deliver := range slices.Concat(all[first:first+1], all[:first], all[first+1:]) {
					deliver()
					if held, _ := e.copy.Held(1); held != n.tick {
						assert.Len(t, e.copy.Members(1, nil), 2, "it left its group at a tick at which it was there")
					}
				}
				assert.Len(t, e.copy.Members(1, nil), 1)
				assert.Len(t, e.sink.entities, 3)
			})
		}
	}
}

// messagesTo returns functions that deliver the actions that a peer is sent, each in one message.
func (n *network) messagesTo(e *end) (all []func()) {
	for b := e.peer.AppendActions(nil, 1); len(b) > 0; b = e.peer.AppendActions(nil, 1) {
		e.msg++
		name := e.msg
		e.peer.ActionsSent(name)
		all = append(all, func() {
			assert.NoError(n.t, e.copy.HandleActions(b))
			e.peer.HandleDelivered(name)
		})
	}
	return all
}

// If an entity is paused while it moves to another group, before a peer has received the move, it
// arrives there as it was, and is despawned there.
func TestWhatIsPausedOnTheMoveGetsThere(t *testing.T) {
	for name, c := range map[string]struct {
		then   func(n *network)
		copies int
	}{
		"resumed":   {func(n *network) { n.world.Resume(1) }, 3},
		"abandoned": {func(n *network) { n.world.Abandon(1) }, 3},
		"despawned": {func(n *network) { n.world.Despawn(1) }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(t, 1, 3, 0)
			e := n.join()
			n.step(func() {
				for _, name := range []uint32{2, 1, 1} {
					n.spawnAt(group.Place{Name: name})
				}
			})
			n.step(func() {})
			quiet := func(change func()) {
				n.tick++
				tick(n.world, change)
			}
			send := func() {
				for _, deliver := range n.messagesTo(e) {
					deliver()
				}
			}
			quiet(func() { n.moveTo(1, group.Place{Name: 2}) }) // no packet is sent in this tick
			quiet(func() { n.world.Pause(1) })
			send()
			assert.Len(t, e.sink.entities, 3)
			assert.Len(t, e.copy.Members(0, nil), 2)
			quiet(func() { c.then(n) })
			send()
			assert.Len(t, e.sink.kept(), c.copies)
			assert.Equal(t, 3, e.sink.spawned)
		})
	}
}
