package input

import (
	"math/rand/v2"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type shove struct {
	Act  uint32
	Kick bool `net:"event"`
}

type glance struct{ At ecs.Entity }

type secret struct{ Number uint8 }

func shoveProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "shove"})
	protocol.Component[components.ControlledBy](p)
	protocol.Input[shove](p).Rebroadcast()
	protocol.Input[glance](p).Rebroadcast()
	protocol.Input[secret](p)
	return p
}

// crowded is a client's world of entities. The server's network id of each is its index.
type crowded struct {
	world  *ecs.World
	others *othersInputs
	all    []ecs.Entity
}

func newCrowded(n int) *crowded {
	w := ecs.NewWorld()
	p := shoveProtocol()
	c := &crowded{world: &w, others: newOthersInputs(&w, event.InstallHub(&w), registry.Of(p).Inputs, 60)}
	ids := []ecs.ID{ecs.ComponentID[shove](&w), ecs.ComponentID[glance](&w), ecs.ComponentID[secret](&w)}
	for range n {
		c.all = append(c.all, w.NewEntity(ids...))
	}
	c.others.find = func(ref repl.Ref) (e ecs.Entity) {
		if int(ref.ID.Group) < len(c.all) && !ref.Yours {
			e = c.all[ref.ID.Group]
		}
		return e
	}
	return c
}

// frame returns a frame of a server with inputs of one entity, up to a newest tick.
func (c *crowded) frame(number, entity int, newest entangle.Tick, ticks int) []byte {
	codec := c.others.kinds[number].codec
	w := input.NewWriter(codec, 60, 0)
	for i := range ticks {
		value := make([]byte, codec.Size())
		w.Write(newest-entangle.Tick(ticks-1-i), 0, value)
	}
	return c.encode(number, entity, newest, w, ticks)
}

// encode is like frame, with inputs that a Writer holds.
func (c *crowded) encode(number, entity int, newest entangle.Tick, w *input.Writer, ticks int) []byte {
	codec := c.others.kinds[number].codec
	var body input.Body
	var composer input.Composer
	body.Encode(w, newest, ticks)
	composer.Begin(nil, entangle.MaxPayload, newest)
	codec.appendHead(composer.Stream(number), repl.Ref{ID: repl.ID{Group: repl.Handle(entity)}}, func(ecs.Entity) (ref repl.Ref, ok bool) { return ref, false })
	composer.Put(&body)
	return composer.Finish()
}

// number returns the number of an input.
func (c *crowded) number(name string) int {
	for i, k := range c.others.kinds {
		if info, _ := ecs.ComponentInfo(c.world, k.id); info.Type.Name() == name {
			return i
		}
	}
	panic(name)
}

// A client keeps inputs for ticks in the window and for entities that exist there, have the input, and
// are not controlled by the client. It counts all others.
//
// Proves: I6, Z17
func TestAClientKeepsInputsOfOthersThatItCanUse(t *testing.T) {
	c := newCrowded(4)
	o, shoves := c.others, c.number("shove")
	o.applyInputs(1000)
	require.NoError(t, o.handle(1003, c.frame(shoves, 0, 1003, 3)))
	assert.Len(t, o.streams, 1)

	c.world.Add(c.all[1], o.own)
	c.world.Remove(c.all[2], o.kinds[shoves].id)
	c.world.RemoveEntity(c.all[3])
	for _, entity := range []int{1, 2, 3, 4} {
		require.NoError(t, o.handle(1003, c.frame(shoves, entity, 1003, 3)))
	}
	assert.EqualValues(t, 4, o.stats.Unknown)
	for _, far := range []entangle.Tick{1000 - input.Behind - 1, 1000 + 65, 1 << 30} {
		require.NoError(t, o.handle(far, c.frame(shoves, 0, far, 1)))
	}
	assert.EqualValues(t, 3, o.stats.TooFar)
	assert.Len(t, o.streams, 1)
	assert.EqualValues(t, 8, o.stats.Received)
	assert.ErrorIs(t, o.handle(1003, c.frame(c.number("secret"), 0, 1003, 1)), errNotPassedOn)

	o.applyInputs(1001)
	assert.Equal(t, event.FreshInput, o.streams[0].status)
	c.world.RemoveEntity(c.all[0])
	o.applyInputs(1002)
	assert.Empty(t, o.streams)
	assert.Empty(t, o.kinds[shoves].streams)
}

// However many entities a server names, a client keeps a bounded number of input streams, and
// reuses those that have ended.
//
// Proves: Z17
func TestTheStreamsOfOthersAreBounded(t *testing.T) {
	const more = 50
	c := newCrowded(MaxOtherStreams + more)
	o, shoves := c.others, c.number("shove")
	o.applyInputs(1000)
	for i := range c.all {
		require.NoError(t, o.handle(1001, c.frame(shoves, i, 1001, 1)))
	}
	assert.Len(t, o.streams, MaxOtherStreams)
	assert.EqualValues(t, more, o.stats.Crowded)
	for _, e := range c.all[:MaxOtherStreams] {
		c.world.RemoveEntity(e)
	}
	o.applyInputs(1001)
	assert.Empty(t, o.streams)
	require.Len(t, o.kinds[shoves].free, MaxOtherStreams)
	require.NoError(t, o.handle(1002, c.frame(shoves, MaxOtherStreams, 1002, 1)))
	assert.Len(t, o.kinds[shoves].free, MaxOtherStreams-1)
	o.applyInputs(1002)
	assert.Equal(t, event.FreshInput, o.streams[0].status)
}

// Malformed bytes from a server end the connection or do no harm.
//
// Proves: Z17
func FuzzInputsOfOthers(f *testing.F) {
	seeds := newCrowded(3)
	for number := range seeds.others.kinds {
		f.Add(uint32(1003), seeds.frame(number, 1, 1003, 4))
	}
	f.Add(uint32(0), []byte{})
	f.Fuzz(func(t *testing.T, tick uint32, body []byte) {
		c := newCrowded(3)
		c.others.applyInputs(1000)
		_ = c.others.handle(entangle.Tick(tick), body)
		for tick := range entangle.Tick(5) {
			c.others.applyInputs(1001 + tick)
		}
		if len(c.others.streams) > 2*len(c.all) {
			t.Fatalf("%d streams of %d entities", len(c.others.streams), len(c.all))
		}
	})
}

// A frame with a flipped bit, or one that is cut short, is an error or another valid frame.
//
// Proves: Z17
func TestAMutilatedFrameOfOthersDoesNoHarm(t *testing.T) {
	c := newCrowded(3)
	c.others.applyInputs(1000)
	rng := rand.New(rand.NewPCG(1, 2))
	for number := range c.others.kinds {
		whole := c.frame(number, 1, 1003, 4)
		for n := range whole {
			_ = c.others.handle(1003, whole[:n])
		}
		for bit := range 8 * len(whole) {
			flipped := append([]byte(nil), whole...)
			flipped[bit/8] ^= 1 << (bit % 8)
			_ = c.others.handle(1003, flipped)
		}
		for range 2000 {
			wild := make([]byte, rng.IntN(40))
			for i := range wild {
				wild[i] = byte(rng.Uint32())
			}
			_ = c.others.handle(1003, wild)
		}
	}
	for tick := range entangle.Tick(100) {
		c.others.applyInputs(1001 + tick)
	}
	assert.LessOrEqual(t, len(c.others.streams), 6)
}
