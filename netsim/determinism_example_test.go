package netsim_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// marble is a component of the games in these examples.
type marble struct {
	Number int32
	Place  float64
}

// marbles is a game of six marbles and one system.
func marbles(system func(all []*marble)) netsim.Determinism {
	p := protocol.New(protocol.Config{Name: "marbles"})
	protocol.Component[marble](p).Predict(protocol.Full)
	return netsim.Determinism{
		Protocol: p,
		Setup: func(w *ecs.World) {
			spawn := generic.NewMap1[marble](w)
			for n := range int32(6) {
				spawn.NewWith(&marble{Number: n})
			}
		},
		AddSystems: func(app plugin.App) {
			app.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
				filter := generic.NewFilter1[marble]()
				return func() {
					var all []*marble
					for q := filter.Query(w); q.Next(); {
						all = append(all, q.Get())
					}
					system(all)
				}
			}))
		},
	}
}

// verdict summarises the result of a check.
func verdict(err error) string {
	var found *netsim.NotDeterministic
	if errors.As(err, &found) {
		return found.What + ": " + found.Cause.String()
	}
	return "deterministic"
}

func ExampleDeterminism_Check() {
	game := marbles(func(all []*marble) {
		for _, m := range all {
			m.Place += 0.1
		}
	})
	fmt.Println(verdict(game.Check()))
	// Output: deterministic
}

// In the first game each marble follows the previous one in the order of the world.
func ExampleDeterminism_Check_order() {
	follow := func(all []*marble) {
		for i, m := range all[1:] {
			m.Place += (all[i].Place-m.Place)/2 + float64(all[i].Number)
		}
	}
	fmt.Println(verdict(marbles(follow).Check()))

	sorted := func(all []*marble) {
		slices.SortFunc(all, func(a, b *marble) int { return cmp.Compare(a.Number, b.Number) })
		follow(all)
	}
	fmt.Println(verdict(marbles(sorted).Check()))
	// Output:
	// marble.Place: DependsOnOrder
	// deterministic
}

// A map is iterated in another order each time.
func ExampleDeterminism_Check_map() {
	game := marbles(func(all []*marble) {
		byNumber := map[int32]*marble{}
		for _, m := range all {
			byNumber[m.Number] = m
		}
		place := 0.0
		for _, m := range byNumber {
			place++
			m.Place = place
		}
	})
	fmt.Println(verdict(game.Check()))
	// Output: marble.Place: NotRepeatable
}

// The system counts ticks in its own variable. A repeated tick is counted twice.
func ExampleDeterminism_Check_variable() {
	ticks := 0
	game := marbles(func(all []*marble) {
		ticks++
		all[0].Place = float64(ticks)
	})
	fmt.Println(verdict(game.Check()))
	// Output: marble.Place: NotRepeatable
}

// The clock has advanced when a tick is repeated.
func ExampleDeterminism_Check_clock() {
	began := time.Now()
	game := marbles(func(all []*marble) { all[0].Place = time.Since(began).Seconds() })
	fmt.Println(verdict(game.Check()))
	// Output: marble.Place: NotRepeatable
}

// Random numbers differ on each run, unless they are derived from the tick.
func ExampleDeterminism_Check_chance() {
	game := marbles(func(all []*marble) { all[0].Place = rand.Float64() })
	fmt.Println(verdict(game.Check()))
	// Output: marble.Place: NotRepeatable
}
