package visualinterp

import (
	"fmt"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// System shows components between ticks. Make one with New, say by Add what it shows, and
// put it into the set plugin.AfterSend of an app. Its methods are the app's to call.
type System struct {
	rules  []rule
	layers []*layer
	hide   hiding
	begun  bool
}

// New returns a system that shows nothing yet.
func New() *System { return &System{} }

// Add has the system show T between ticks, and returns it. By default it does so on every
// entity that has one, as the component's registration says: blended by its Interpolate
// function, at once where its Snap says so, and easing over a correction for as long as its
// Correct says. Options say otherwise, and are needed for a T that is not registered.
//
// Each T is added once, before the app is initialised. Calling it wrongly panics.
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

// Initialize takes part in the frames of the app that calls it. It panics if a component
// can't be shown, and says why.
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
	display.Add(painter{s})
}

// Update does nothing: what is to be done has its places in the frame.
func (s *System) Update(*ecs.World) {}

// Finalize puts the true values back.
func (s *System) Finalize(*ecs.World) { painter{s}.Restore() }

// painter is the system in the stages of a frame.
type painter struct{ *System }

func (p painter) Restore() {
	for _, l := range p.layers {
		l.restore()
	}
}

func (p painter) Corrected() {
	for _, l := range p.layers {
		l.corrected()
	}
}

func (p painter) Tick() {
	for _, l := range p.layers {
		l.tick()
	}
}

func (p painter) Show() {
	for _, l := range p.layers {
		l.show()
	}
	p.hide.update()
}
