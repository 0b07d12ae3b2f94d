package sink

import (
	"testing"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/stretchr/testify/require"
)

// BenchmarkOutdate is the worst that a record of a hostile server can do to the references that wait: as
// many as possible wait for entities of its handle, of which none is outdated.
func BenchmarkOutdate(b *testing.B) {
	h := newHand(b)
	h.come(1)
	for n := range refs.MaxLate {
		id := repl.ID{Group: 4, Generation: repl.MaxGeneration, Member: repl.Member(n)}
		require.True(b, h.applier.refs.late.Add(refs.LateRef{Target: id, Holder: refs.LateHolder{Comp: n % 4}, N: n}))
	}
	for b.Loop() {
		h.applier.Outdate(4, 1000)
	}
}
