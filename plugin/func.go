package plugin

import (
	"fmt"
	"path"
	"reflect"
	"runtime"
	"strings"

	"github.com/mlange-42/arche/ecs"
)

// Func makes a small system from a closure. initialize is called once with the world: the place to
// create filters, mappers and readers. The function that it returns is called at every Update; it
// may be nil if there is nothing to do after setup.
//
//	app.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
//		filter := generic.NewFilter2[Position, Velocity]()
//		return func() {
//			query := filter.Query(w)
//			for query.Next() {
//				pos, vel := query.Get()
//				pos.X += vel.X
//			}
//		}
//	}))
func Func(initialize func(w *ecs.World) (update func())) System {
	if initialize == nil {
		panic("plugin: Func needs a function that takes the world and returns the system's update")
	}
	return &funcSystem{initialize: initialize}
}

type funcSystem struct {
	initialize func(w *ecs.World) func()
	update     func()
}

// String names the system after its closure, such as game.AddSystems.func1 (move.go:12), or after
// its method value, such as game.(*World).Move, for which Go reports no line.
func (f *funcSystem) String() string {
	fn := runtime.FuncForPC(reflect.ValueOf(f.initialize).Pointer())
	if name, ok := strings.CutSuffix(fn.Name(), "-fm"); ok {
		return path.Base(name)
	}
	file, line := fn.FileLine(fn.Entry())
	return fmt.Sprintf("%s (%s:%d)", path.Base(fn.Name()), path.Base(file), line)
}

func (f *funcSystem) Initialize(w *ecs.World) { f.update = f.initialize(w) }

func (f *funcSystem) Update(*ecs.World) {
	if f.update != nil {
		f.update()
	}
}

func (f *funcSystem) Finalize(*ecs.World) { f.update = nil }
