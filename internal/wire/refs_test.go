package wire_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/protocol"
)

func TestAPlanKnowsHowManyEntitiesAValueHolds(t *testing.T) {
	type pair struct {
		N    uint8
		A, B ecs.Entity
	}
	type crew struct {
		Text  string
		Two   [2]pair
		Named []ecs.Entity `net:"max=9"`
		More  []pair
	}
	p := protocol.New(protocol.Config{Name: "refs"})
	protocol.Message[crew](p)
	protocol.Message[pair](p)
	protocol.Message[struct{ N uint8 }](p)
	got := map[int]int{}
	for _, info := range registry.Of(p).Messages {
		got[info.Plan.MaxRefs()]++
	}
	assert.Equal(t, map[int]int{4 + 9 + 2*protocol.DefaultMaxElements: 1, 2: 1, 0: 1}, got)
	assert.Equal(t, 1<<16, planWith(t, protocol.Codec[withEntity](ownerCodec{})).MaxRefs(), "only the codec knows")
}
