package tick_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// The stages of the frames in these tests.
const (
	receive tick.Stage = iota
	check
	fixedInput
	main
	send
	show
)

var order = tick.Order{
	Names:      []string{"Receive", "Check", "FixedInput", "Main", "Send", "Show"},
	Predicting: check, Simulating: fixedInput, Sending: send, Showing: show,
	FixedInput: fixedInput, Main: main,
}

// recording is a system that records the calls of its methods.
type recording struct {
	name string
	log  *[]string
}

func (r recording) Initialize(*ecs.World) { *r.log = append(*r.log, "init "+r.name) }
func (r recording) Update(*ecs.World)     { *r.log = append(*r.log, r.name) }
func (r recording) Finalize(*ecs.World)   { *r.log = append(*r.log, "final "+r.name) }

// adding is a system that adds another one when it is initialised.
type adding struct {
	recording
	schedule *tick.Schedule
	other    tick.System
}

func (a adding) Initialize(w *ecs.World) {
	a.recording.Initialize(w)
	a.schedule.Add(receive, a.other)
}

func TestInitializeInOrderOfAddAndFinalizeInReverse(t *testing.T) {
	w := ecs.NewWorld()
	var log []string
	s := tick.NewSchedule(order)
	s.Add(send, recording{"a", &log})
	s.Add(receive, recording{"b", &log})
	s.Add(main, recording{"c", &log})
	s.Initialize(&w)
	s.Finalize(&w)
	s.Finalize(&w)
	assert.Equal(t, []string{"init a", "init b", "init c", "final c", "final b", "final a"}, log)
}

func TestSystemAddedFromInitializeIsInitialised(t *testing.T) {
	w := ecs.NewWorld()
	var log []string
	s := tick.NewSchedule(order)
	s.Add(main, adding{recording{"a", &log}, s, recording{"late", &log}})
	s.Add(main, recording{"b", &log})
	s.Initialize(&w)
	s.Frame(&w, 1)
	s.Finalize(&w)
	assert.Equal(t, []string{
		"init a", "init b", "init late", "late", "a", "b", "final late", "final b", "final a",
	}, log)
}

func TestFinalizeWithoutInitializeFinalizesNothing(t *testing.T) {
	w := ecs.NewWorld()
	var log []string
	s := tick.NewSchedule(order)
	s.Add(main, recording{"a", &log})
	s.Finalize(&w)
	assert.Empty(t, log)
}

func TestMisuseOfAScheduleSaysWhatToDo(t *testing.T) {
	w := ecs.NewWorld()
	var log []string
	s := tick.NewSchedule(order)
	assert.PanicsWithValue(t, "plugin: AddSystem needs a system, got nil",
		func() { s.Add(main, nil) })
	assert.PanicsWithValue(t, "plugin: Update before Initialize; call Initialize(world) first, "+
		"and do not update the app from inside a system's Initialize",
		func() { s.Frame(&w, 1) })
	s.Bind(send, func() {})
	assert.PanicsWithValue(t, "plugin: stage Send is bound already; a stage has one piece of work of the engine",
		func() { s.Bind(send, func() {}) })

	s.Initialize(&w)
	assert.PanicsWithValue(t, "plugin: tick_test.recording was added to Main after Initialize and would never be initialised; "+
		"add it before the app is initialised, or from a system's Initialize",
		func() { s.Add(main, recording{"a", &log}) })
	assert.PanicsWithValue(t, "plugin: Initialize was called twice; an app belongs to one world and is initialised once: make a new app",
		func() { s.Initialize(&w) })
	s.Finalize(&w)
	assert.PanicsWithValue(t, "plugin: Update after Finalize; make a new app for a new run",
		func() { s.Frame(&w, 1) })
}

func TestFrameAllocatesNothing(t *testing.T) {
	w := ecs.NewWorld()
	log := make([]string, 0, 1024)
	s := tick.NewSchedule(order)
	for stage := range order.Names {
		s.Add(tick.Stage(stage), recording{"game", &log})
		s.Bind(tick.Stage(stage), func() { log = append(log, "engine") })
	}
	s.Initialize(&w)
	assert.Zero(t, alloctest.Count(100, func() {
		log = log[:0]
		s.Frame(&w, 2)
	}))
}
