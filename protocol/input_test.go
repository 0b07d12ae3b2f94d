package protocol_test

import (
	"reflect"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

type (
	steer struct {
		Aim    ecs.Entity
		Fire   uint16 `net:"event"`
		_      uint16
		Thrust float32             `net:"range=-1..1,step=0.01"`
		Horn   struct{ A, B bool } `net:"event"`
	}
	nod      struct{}
	shoveOf  struct{ ecs.Relation }
	nameless struct{ Text string }
)

// An input is a component of which only the presence is sent.
func TestAnInputIsAComponentWithoutAValue(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "game"})
	protocol.Input[steer](p)
	protocol.Input[nod](p)
	protocol.Component[pose](p)
	require.NoError(t, registry.Seal(p))

	require.Len(t, registry.Of(p).Components, 3)
	for number, typ := range []reflect.Type{reflect.TypeFor[nod](), reflect.TypeFor[pose](), reflect.TypeFor[steer]()} {
		info := registry.Of(p).ComponentOf(typ)
		assert.Equal(t, number, info.Number)
		assert.Equal(t, typ, info.Plan.Type())
		if info.Input {
			assertNothingIsSent(t, info.Plan)
		}
	}
	assert.False(t, registry.Of(p).ComponentOf(reflect.TypeFor[pose]()).Input)
	assert.True(t, registry.Of(p).ComponentOf(reflect.TypeFor[steer]()).Input)
	assert.True(t, registry.Of(p).Inputs[1].Plan.HasRefs(), "the values of inputs have a plan of their own")
	assert.Zero(t, registry.Of(p).Inputs[0].Plan.MaxBits())
	assert.Contains(t, p.String(), "presence of an input")
}

func assertNothingIsSent(t *testing.T, plan *wire.Plan) {
	t.Helper()
	var w bits.Writer
	assert.Zero(t, plan.Encode(&w, nil, nil))
	assert.Empty(t, w.Finish())
	var r bits.Reader
	r.Reset([]byte{0xff})
	require.NoError(t, plan.Decode(&r, nil, nil))
	assert.Equal(t, 8, r.RemainingBits())
	assert.Zero(t, plan.Size())
	assert.Zero(t, plan.MaxBits())
	assert.True(t, plan.Equal(nil, nil))
	assert.True(t, plan.Exact())
	assert.False(t, plan.HasRefs())
	assert.Nil(t, plan.Short())
}

// If T is a component on one side and an input on the other, their hashes differ.
func TestInputsAreInTheHash(t *testing.T) {
	make := func(register ...func(*protocol.Protocol)) *protocol.Protocol {
		p := protocol.New(protocol.Config{Name: "game"})
		for _, f := range register {
			f(p)
		}
		require.NoError(t, p.Err())
		return p
	}
	input := func(p *protocol.Protocol) { protocol.Input[nod](p) }
	without, component, with := make(register[pose]), make(register[pose], register[nod]), make(register[pose], input)
	assert.NotEqual(t, without.Hash(), with.Hash())
	assert.NotEqual(t, component.Hash(), with.Hash())
	const name = "github.com/entangle-ecs/entangle/protocol_test.nod"
	assert.Equal(t, "input "+name+" is registered only on the client", registry.Diff(registry.Of(without).Entries, registry.Of(with).Entries))
	assert.Equal(t, "component "+name+" is registered only on the server; input "+name+" is registered only on the client",
		registry.Diff(registry.Of(component).Entries, registry.Of(with).Entries))
}

// lump is larger than an input may be.
type lump struct {
	Bytes [protocol.MaxInputBytes + 1]byte
}

func TestAnInputIsNothingElse(t *testing.T) {
	input := func(p *protocol.Protocol) { protocol.Input[nod](p) }
	message := func(p *protocol.Protocol) { protocol.Message[nod](p) }
	resource := func(p *protocol.Protocol) { protocol.Resource[nod](p) }
	local := func(p *protocol.Protocol) { protocol.Local[nod](p) }
	var cases []mistake
	for name, other := range map[string]func(*protocol.Protocol){
		"component": register[nod], "message": message, "resource": resource, "local component": local,
	} {
		cases = append(cases,
			mistake{"first as " + name, func(p *protocol.Protocol) { other(p); input(p) }, protocol.ErrOptions, []string{"input", "already registered as " + name, "second type"}},
			mistake{"then as " + name, func(p *protocol.Protocol) { input(p); other(p) }, protocol.ErrOptions, []string{name, "already registered as input", "second type"}})
	}
	cases = append(cases,
		mistake{"relation", func(p *protocol.Protocol) { protocol.Input[shoveOf](p) }, protocol.ErrOptions, []string{"shoveOf", "ecs.Entity"}},
		mistake{"larger than a packet", func(p *protocol.Protocol) { protocol.Input[lump](p) }, protocol.ErrOptions, []string{"1025 bytes", "1024", "message"}},
		mistake{"text", func(p *protocol.Protocol) { protocol.Input[nameless](p) }, protocol.ErrType, []string{"field Text"}},
		mistake{"given twice", func(p *protocol.Protocol) { protocol.Input[nod](p).Rebroadcast().Rebroadcast() }, protocol.ErrTwice, []string{"Rebroadcast"}})
	check(t, cases)
}

func TestEventsOfTwoTicksAreMerged(t *testing.T) {
	plan, err := wire.ComponentPlan[steer]()
	require.NoError(t, err)
	a := steer{Fire: 3, Thrust: 1}
	b := steer{Thrust: -1}
	b.Horn.B = true
	plan.MergeEvents(bytesOf(&b), bytesOf(&a))
	want := steer{Fire: 3, Thrust: -1}
	want.Horn.B = true
	assert.Equal(t, want, b, "events of both, and all else as it is later")
	plan.MergeEvents(bytesOf(&b), bytesOf(&steer{}))
	assert.Equal(t, want, b)
	assert.Zero(t, alloctest.Count(100, func() { plan.MergeEvents(bytesOf(&b), bytesOf(&a)) }))
	assert.Panics(t, func() { plan.MergeEvents(bytesOf(&b), []byte{1}) })
}
