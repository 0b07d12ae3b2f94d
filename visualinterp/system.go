package visualinterp

import (
	"fmt"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// System shows components between ticks. Create one with New, select components with Add, and add it to the
// set plugin.AfterSend of an app. The app calls its methods.
type System struct {
	rules  []rule
	layers []*layer
	hide   hiding
	begun  bool
}

// New returns a system that shows nothing yet.
func New() *System { return &System{} }

// Add makes the system show T between ticks, and returns the system. By default it shows every
// entity with a T as the component's registration says: blended by its Interpolate function,
// without blending if its Snap function returns true, and with corrections that take the time set
// with Correct. Options override that, and are needed for a T that is not registered.
//
// Each T is added once, before the app is initialised. A wrong call panics.
func Add[T any](s *System, options ...Option) *System {
	t := reflect.TypeFor[T]()
	if s.begun {
		panic(fmt.Sprintf("visualinterp: Add[%v] after Initialize; add what is shown before the app is initialised", t))
	}
	for _, r := range s.rules {
		if r.typ == t {
			panic(fmt.Sprintf("visualinterp: Add[%v] twice; give all options in one", t))
		}
	}
	r := rule{typ: t}
	for _, option := range options {
		option(&r)
	}
	s.rules = append(s.rules, r)
	return s
}

// Initialize subscribes to the frames of the app that calls it. It panics with the reason if a component
// cannot be shown.
func (s *System) Initialize(w *ecs.World) {
	display := tick.DisplayOf(w)
	if display == nil {
		panic("visualinterp: the world has no Entangle app; put the system into one, by app.AddSystem(plugin.AfterSend, ...), which initialises it")
	}
	s.begun = true
	for i := range s.rules {
		s.layers = append(s.layers, newLayer(w, display, &s.rules[i]))
	}
	s.hide = newHiding(w, s.layers)
	display.Add(stages{s})
}

// Update does nothing: the work is done in the stages of a frame.
func (s *System) Update(*ecs.World) {}

// Finalize restores the true values.
func (s *System) Finalize(*ecs.World) { stages{s}.Restore() }

// stages implements the stages of a frame for the System.
type stages struct{ *System }

func (p stages) Restore() {
	for _, l := range p.layers {
		l.restore()
	}
}

func (p stages) Corrected() {
	for _, l := range p.layers {
		l.corrected()
	}
}

func (p stages) Tick() {
	for _, l := range p.layers {
		l.tick()
	}
}

func (p stages) Displayed(e ecs.Entity, id ecs.ID) (value []byte, ok bool) {
	for _, l := range p.layers {
		if value, ok = l.displayed(e, id); ok {
			break
		}
	}
	return value, ok
}

func (p stages) Show() {
	for _, l := range p.layers {
		l.writeDisplayed()
	}
	p.hide.update()
}
