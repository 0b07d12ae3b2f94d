package systems

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

type (
	benchPosition struct {
		X, Y, Z float32 `net:"range=-512..512,step=0.01"`
	}
	benchRotation struct {
		Q [4]float32 `net:"quat"`
	}
	benchHealth struct{ Points uint16 }
)

// BenchmarkUpdateAll is what the copy takes of a record with a position and a
// rotation: one operation is one record, of 1,000 entities in turn.
func BenchmarkUpdateAll(b *testing.B) {
	const entities = 1000
	p := protocol.New(protocol.Config{Name: "copy benchmark"})
	protocol.Component[benchHealth](p)
	protocol.Component[benchPosition](p)
	protocol.Component[benchRotation](p)
	require.NoError(b, p.Seal())
	w := ecs.NewWorld(entities)
	c := NewCopy(&w, NewHub(), p.Components(), func(ecs.Entity) {}, func(ecs.Entity) {})
	var wire bits.Writer
	values := [3][]byte{make([]byte, 2), make([]byte, 12), make([]byte, 16)}
	for range entities {
		for comp, info := range p.Components() {
			info.Plan.Encode(&wire, values[comp], nil)
		}
	}
	var r bits.Reader
	r.Reset(wire.Finish())
	for g := range repl.Handle(entities) {
		c.Begin(1)
		c.Member(c.Spawn(repl.ID{Group: g}), true)
		for comp := range 3 {
			require.NoError(b, c.Insert(&r, comp, nil))
		}
		c.Commit()
	}
	wire.Reset(nil)
	for range entities {
		p.Components()[1].Plan.Encode(&wire, values[1], nil)
		p.Components()[2].Plan.Encode(&wire, values[2], nil)
	}
	frame, set := wire.Finish(), repl.MaskOf(1, 2)
	b.ResetTimer()
	for i := range b.N {
		slot := repl.Slot(i % entities)
		if slot == 0 {
			r.Reset(frame)
		}
		if c.UpdateAll(slot, 2, &set, &r, nil) != nil {
			b.Fatal("refused")
		}
	}
}
