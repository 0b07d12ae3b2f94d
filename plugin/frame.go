package plugin

import (
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/input"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/systems"
)

// frame is the common part of server and client: a world, a schedule of systems, and a clock that
// decides the number of ticks in a frame.
type frame struct {
	common
	world    *ecs.World
	schedule *tick.Schedule
	stepper  *tick.Stepper
	steered  *tick.Clock // nil on a server, which sets the pace of ticks
	hub      *event.Hub
	time     *components.Time
	inputs   *input.Inputs
	display  *tick.Display
	dropped  *event.Queue[TicksDropped]
	overload *tick.Overload      // nil before attach
	run      func(now time.Time) // runs a frame; nil before the stages are bound

	now      time.Time // start of the current frame
	stepping bool
	drops    drops
}

func newFrame(c common) frame {
	f := frame{common: c, schedule: systems.NewSchedule(), stepper: tick.NewStepper(c.protocol.TickRate())}
	if c.perFrame {
		f.stepper = tick.NewFrameStepper()
	}
	return f
}

// World returns the world that the app was initialised with, nil before.
func (f *frame) World() *ecs.World { return f.world }

// TickRate returns the number of fixed steps per second.
func (f *frame) TickRate() int { return f.protocol.TickRate() }

// Tick returns the last finished tick or, in a system of a tick, the one that is being computed.
func (f *frame) Tick() entangle.Tick {
	if f.time == nil {
		return f.start
	}
	return f.time.Tick
}

// AddSystem puts a system into a set; see App.
func (f *frame) AddSystem(set Set, sys System) { f.schedule.Add(tick.Stage(set.stage()), sys) }

// attach adds the resources that systems expect in the world. It reports false, and does nothing,
// for an app that is attached to that world already: a game may initialise a client itself to
// connect, before the model or loop that drives it initialises it again.
func (f *frame) attach(w *ecs.World) bool {
	f.mustAttach(w)
	if f.world != nil {
		return false
	}
	f.world = w
	f.hub = event.InstallHub(w)
	f.dropped = event.QueueOf[TicksDropped](f.hub)
	f.time = &components.Time{Tick: f.start, Step: time.Second / time.Duration(f.TickRate())}
	ecs.AddResource(w, f.time)
	source.TargetsOf(w)
	f.display = tick.InstallDisplay(w, f.protocol, f.time)
	f.schedule.Measure(f.clock, f.time.Step)
	side := "server"
	if f.steered != nil {
		side = "client"
	}
	f.overload = tick.NewOverload(side, f.schedule, f.TickRate(), f.perFrame, f.log)
	return true
}

// parts returns the parts that the stages of both sides work with. attach and the server or client
// must have made them.
func (f *frame) parts() systems.Frame {
	return systems.Frame{
		World: f.world, Schedule: f.schedule, Stepper: f.stepper, Clock: f.steered, Hub: f.hub, Time: f.time,
		Inputs: f.inputs, Display: f.display, Overload: f.overload, SendEvery: f.every,
		OnDropped: func(ticks int) { f.dropped.Push(TicksDropped{Ticks: ticks}) },
	}
}

func (f *frame) mustAttach(w *ecs.World) {
	switch {
	case w == nil:
		panic("plugin: Initialize needs a world; make one with ecs.NewWorld()")
	case f.schedule.Finalized():
		panic("plugin: Initialize of an app that was finalised; make a new one with NewServer, NewClient or NewHost")
	case f.world != nil && f.world != w:
		panic("plugin: the app was initialised with another world; an app belongs to one world for its life. " +
			"If an arche-model app initialises it, call Initialize(&model.World) by hand, or not at all; " +
			"for a new world make a new app with NewServer, NewClient or NewHost")
	case f.world != nil && !f.schedule.Initialized():
		panic("plugin: Initialize of an app from one of its own systems; only whoever drives the app initialises it")
	case f.world == nil && event.HubOf(w) != nil:
		panic("plugin: the world has an Entangle app already; give each app a world of its own")
	}
	if err := f.protocol.Err(); err != nil {
		panic("plugin: the protocol has mistakes: " + err.Error())
	}
}

// step runs one frame at the time now.
func (f *frame) step(now time.Time) {
	f.mustStep()
	f.stepping = true
	defer func() { f.stepping = false }()
	f.now = now
	f.run(now)
}

func (f *frame) mustStep() {
	switch {
	case f.world == nil:
		panic("plugin: Update before Initialize; call Initialize(world) first, or let Run do both")
	case f.stepping:
		panic("plugin: Update from within a frame of the same app; a system does not update its app")
	case f.world.IsLocked():
		panic("plugin: Update while a query of the world is open; iterate it to its end, or Close it, before")
	case event.HubOf(f.world) != f.hub:
		panic("plugin: the world was emptied by World.Reset, which takes the app's resources with it; " +
			"remove entities instead, or make a new app for the world")
	}
}

// mustBe panics unless an app is updated with the world that it was initialised with.
func (f *frame) mustBe(w *ecs.World) {
	if w != nil && f.world != nil && w != f.world {
		panic("plugin: Update with another world than Initialize; an app belongs to one world for its life")
	}
}
