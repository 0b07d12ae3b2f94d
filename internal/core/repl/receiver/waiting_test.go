package receiver

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/order"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// An action that waited and is passed over is kept if it says what became of members, or takes entities
// in, and the group is known: a first full that is passed over has no replica that it could add to. It
// waits for no other group any more.
func TestWhichPassedOverActionsAreKept(t *testing.T) {
	for n := range 8 {
		known, leaves, takes := n&1 != 0, n&2 != 0, n&4 != 0
		t.Run(fmt.Sprint("known ", known, " leaves ", leaves, " takes ", takes), func(t *testing.T) {
			var r replica
			r.init(nil, 1)
			g := r.groups.add(7)
			r.groups.setKnown(g, known)
			r.needs = append(r.needs, repl.Need{Group: 9, Tick: 20})
			rec := order.Record{Record: repl.Record{Kind: repl.Change, Group: 7, Tick: 20}, LongSeq: 1, Leaves: leaves, Takes: takes}
			w := r.waiting.Add(r.groups.queue(g), &rec, r.needs, 20, bits.Reader{}, 0)
			r.passOver(g, w)
			assert.True(t, g.requested)
			assert.Equal(t, known, g.LongSeq == 1)
			assert.False(t, g.HoldsNeeds())
			if kept := known && (leaves || takes); kept {
				assert.Equal(t, []*order.Waiting{w}, g.Waiting)
			} else {
				assert.Empty(t, g.Waiting)
				assert.Zero(t, r.waiting.Bytes())
			}
		})
	}
}
