package repl_test

import (
	"maps"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// latest is the greatest number of ticks by which a message that names an entity is delayed: longer
// than it takes to use a handle again.
const latest = 100

// sendNames sends messages that name entities, in both directions. Some arrive very late. Each must
// lead to the entity that was meant, or to none.
func (n *network) sendNames(e *end) {
	if !n.messages {
		return
	}
	if len(n.model.entities) > 0 && e.rng.IntN(4) == 0 {
		all := slices.Sorted(maps.Keys(n.model.entities))
		n.nameTo(e, all[e.rng.IntN(len(all))])
	}
	if len(e.sink.entities) > 0 && e.rng.IntN(4) == 0 {
		all := slices.Sorted(maps.Keys(e.sink.entities))
		n.nameFrom(e, all[e.rng.IntN(len(all))])
	}
}

// nameTo sends a peer a message that names an entity, whether the peer may see it or not.
func (n *network) nameTo(e *end, slot repl.Slot) {
	id, ok := e.peer.ID(slot)
	require.True(n.t, ok)
	is, sent := n.model.entities[slot], n.tick
	e.names++
	n.post(e, n.travel(e)+n.lateness(e), func() {
		e.names--
		if at, ok := e.copy.Slot(id); ok {
			shown := e.sink.entities[at]
			if shown.name() != is.name() {
				require.Failf(n.t, "misled", "tick %d: %v, of tick %d, leads to %x and meant %x", n.tick, id, sent, shown.name(), is.name())
			}
			n.reached.namedToPeer++
		}
	})
}

// nameFrom sends the sender a message that names an entity of the peer.
func (n *network) nameFrom(e *end, at repl.Slot) {
	is, id, written := e.sink.entities[at], e.sink.ids[at], n.tick
	n.post(e, n.travel(e)+n.lateness(e), func() {
		slot, ok := e.peer.Slot(id)
		if !ok {
			return
		}
		lives := n.model.entities[slot]
		if lives.name() != is.name() {
			require.Failf(n.t, "misled", "tick %d: %v, written at %d, leads to %x and meant %x", n.tick, id, written, lives.name(), is.name())
		}
		n.reached.namedToSender++
	})
}

// lateness returns a delay that is seldom long.
func (n *network) lateness(e *end) int {
	if e.rng.IntN(8) > 0 {
		return 0
	}
	return e.rng.IntN(latest)
}
