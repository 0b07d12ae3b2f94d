package protocol

import (
	"reflect"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
)

// addTypes registers n different types.
func addTypes(p *Protocol, kind registry.Kind, n int) {
	for i := range n {
		t := reflect.ArrayOf(i+1, reflect.TypeFor[uint8]())
		p.admit(kind, t, wire.TypeName(t))
	}
}

// Arche allows 240 types, or 64 with the build tag tiny, of which 16 are reserved.
//
// Proves: G7
func TestMoreComponentsThanArcheHoldsAreRefused(t *testing.T) {
	assert.Equal(t, min(ecs.MaskTotalBits, 240)-16, MaxComponents)
	p := New(Config{Name: "game"})
	addTypes(p, registry.KindComponent, MaxComponents)
	require.NoError(t, p.Err())
	t1 := reflect.TypeFor[int]()
	p.admit(registry.KindLocal, t1, wire.TypeName(t1))
	assert.ErrorIs(t, p.Err(), ErrTooMany)
	assert.ErrorContains(t, p.Err(), "no more types")
}

// An Arche world can have as many component types as the limit allows a game.
func TestArcheHoldsAsManyComponentsAsAreAllowed(t *testing.T) {
	w := ecs.NewWorld()
	for i := range MaxComponents + ownComponents {
		id := ecs.TypeID(&w, reflect.ArrayOf(i+1, reflect.TypeFor[uint8]()))
		w.NewEntity(id)
	}
}

func TestTooManyChannelsAndMessages(t *testing.T) {
	p := New(Config{Name: "game"})
	for i := range MaxChannels + 1 {
		p.Channel(ChannelConfig{Name: string(rune('A' + i))})
	}
	assert.ErrorIs(t, p.Err(), ErrTooMany)

	p = New(Config{Name: "game"})
	for i := range MaxPerKind + 1 {
		t := reflect.ArrayOf(i+1, reflect.TypeFor[uint8]())
		def := &messageRule{rule: newRule(p, registry.KindMessage, t), info: registry.Message{Name: wire.TypeName(t), Type: t}}
		p.messages = append(p.messages, def)
	}
	assert.ErrorIs(t, p.Err(), ErrTooMany)
}

// Two types that are declared in functions can have the same name, which would give them the same
// place in the order.
func TestTwoTypesOfOneNameAreRefused(t *testing.T) {
	p := New(Config{Name: "game"})
	one := func() { type spot struct{ X int8 }; Component[spot](p) }
	two := func() { type spot struct{ Y int16 }; Component[spot](p) }
	one()
	require.NoError(t, p.Err())
	two()
	assert.ErrorIs(t, p.Err(), ErrTwice)
	assert.ErrorContains(t, p.Err(), "share one name")
}
