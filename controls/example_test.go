package controls_test

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/controls"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// Place is the position of an entity.
type Place struct{ X, Y float32 }

// Actions is the input of the game.
type Actions struct {
	Jump, Fire controls.Button
	Move       controls.Axis2
}

// Fingers convert the keys of a device to Actions.
type Fingers struct {
	keys       controls.Keys[string]
	jump, fire controls.Latch
	move       controls.Axis2Latch
}

func newFingers() *Fingers {
	f := &Fingers{}
	f.keys.Bind(&f.jump, "space")
	f.keys.Bind(&f.fire, "enter", "mouse 1")
	f.keys.BindAxis(&f.move.X, controls.Pair[string]{Negative: "a", Positive: "d"})
	f.keys.BindAxis(&f.move.Y, controls.Pair[string]{Negative: "s", Positive: "w"})
	return f
}

// look is the first step: once per frame, it sets the latches from the keys that are down.
func (f *Fingers) look(isDown func(key string) bool) plugin.System {
	return plugin.Func(func(*ecs.World) func() { return func() { f.keys.Update(isDown) } })
}

// write is the second step: once per tick, it writes the values of the latches into the input.
func (f *Fingers) write(w *ecs.World) func() {
	mine := generic.NewFilter1[Actions]().With(generic.T[components.Controlled]())
	return func() {
		input := Actions{Jump: f.jump.Take(), Fire: f.fire.Take(), Move: f.move.Take()}
		for q := mine.Query(w); q.Next(); {
			*q.Get() = input
		}
	}
}

// act is the last step: in the same tick of the server, the component has the player's input.
func act(w *ecs.World) func() {
	players := generic.NewFilter2[Place, Actions]()
	return func() {
		for q := players.Query(w); q.Next(); {
			place, input := q.Get()
			move := input.Move.Limited()
			place.X, place.Y = place.X+move.X, place.Y+move.Y
			if input.Jump.Pressed {
				fmt.Println("jumps, at", place.X, place.Y)
			}
		}
	}
}

// This example shows the path of a key: the device, Keys, a latch, the input, the server's world.
func Example() {
	p := protocol.New(protocol.Config{Name: "walk"})
	protocol.Component[Place](p)
	protocol.Component[components.ControlledBy](p)
	protocol.Input[Actions](p)

	client, err := plugin.NewClient(plugin.ClientConfig{Protocol: p})
	if err != nil {
		panic(err)
	}
	fingers := newFingers()
	isDown := func(key string) bool { return false } // with Ebitengine: ebiten.IsKeyPressed
	client.AddSystem(plugin.AfterReceive, fingers.look(isDown))
	client.AddSystem(plugin.FixedInput, plugin.Func(fingers.write))

	server, err := plugin.NewServer(plugin.ServerConfig{Protocol: p})
	if err != nil {
		panic(err)
	}
	// The player's entity has Place, Actions, ControlledBy and Replicate.
	server.AddSystem(plugin.FixedMain, plugin.Func(act))
}

// A press belongs to one tick, however many frames there are.
func ExampleLatch() {
	var jump controls.Latch
	tick := func() {
		if b := jump.Take(); b.Pressed {
			fmt.Println("jump")
		} else {
			fmt.Println("-")
		}
	}
	jump.Set(true) // a frame without a tick
	jump.Set(false)
	tick() // a frame with one tick
	jump.Set(true)
	tick() // a frame with two ticks
	tick()
	// Output:
	// jump
	// jump
	// -
}

// Players bind keys as they like, even during the game.
func ExampleKeys() {
	var keys controls.Keys[rune]
	var walk controls.AxisLatch
	press := func(down rune) {
		keys.Update(func(key rune) bool { return key == down })
		fmt.Printf("%c: %v\n", down, walk.Take().Value)
	}
	keys.BindAxis(&walk, controls.Pair[rune]{Negative: 'a', Positive: 'd'})
	press('a')
	press('d')
	keys.BindAxis(&walk, controls.Pair[rune]{Negative: 'q', Positive: 'd'})
	press('a')
	press('q')
	// Output:
	// a: -1
	// d: 1
	// a: 0
	// q: -1
}
