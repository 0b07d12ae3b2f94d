package predict

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
)

// RollbackReport is the explanation of one rollback.
type RollbackReport struct {
	// Tick is the tick that was restored: the ticks after it were replayed.
	Tick entangle.Tick
	// Depth is the number of replayed ticks.
	Depth int
	// Reason is the reason of the misprediction that decided the tick; of several at that tick, the
	// one that was found first.
	Reason RollbackReason
	// Entity is the mispredicted entity, zero if there is none. It may be gone already.
	Entity ecs.Entity
	// SID is the entity's id on all machines; zero if the game has none, or if the entity is gone.
	SID components.SID
	// Field is the first field in which the values differ, from the component or resource on, such
	// as Position.Pos.X. It is empty if the rollback is about no component in particular.
	Field string
	// Predicted and Confirmed are that field's values, here and on the server. "none" stands for a
	// missing component.
	Predicted, Confirmed string
	// Fields is the number of further fields of the value that differ.
	Fields int
	// Input is the entity's input in the tick, and Status its status at that time. Input is empty
	// if the entity has none. With ByInput it is the input of the tick after Tick, and RightInput
	// the actual one.
	Input, RightInput string
	Status            event.InputStatus
	// Entities is the number of further mispredicted entities.
	Entities int
	// Cost is the time that the replay took, by the clock of the config; 0 if that stands still
	// within a frame, as in package netsim.
	Cost time.Duration
}

// String returns the report in one line: the predicted value, the confirmed one, and the entity's
// input on this client at the time. The server may have had another one, or none.
func (r RollbackReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "tick %d, %d back", r.Tick, r.Depth)
	if r.Cost > 0 { // a clock that stands still within a frame gives no cost
		fmt.Fprintf(&b, ", %v", r.Cost)
	}
	fmt.Fprintf(&b, ": %s", r.what())
	switch {
	case r.Reason == ByInput:
	case r.Input != "":
		fmt.Fprintf(&b, "; driven by %s (%v)", r.Input, r.Status)
	}
	switch {
	case r.Entities == 1:
		b.WriteString("; 1 more entity")
	case r.Entities > 1:
		fmt.Fprintf(&b, "; %d more entities", r.Entities)
	}
	return b.String()
}

// bothIDs returns the entity, by both its ids.
func (r *RollbackReport) bothIDs() string {
	if r.SID.ID == 0 {
		return fmt.Sprintf("entity %v", r.Entity)
	}
	return fmt.Sprintf("entity %v (SID %d)", r.Entity, r.SID.ID)
}

// what returns a description of the misprediction.
func (r *RollbackReport) what() string {
	switch {
	case r.Reason == ByRequest && r.Entity.IsZero():
		return "the game asked for it"
	case r.Reason == ByRequest:
		return fmt.Sprintf("the game asked for it, for %s", r.bothIDs())
	case r.Reason == ByBlueprint:
		return fmt.Sprintf("a blueprint came after its tick, for %s", r.bothIDs())
	case r.Reason == BySpawn:
		return fmt.Sprintf("the server spawned %s", r.bothIDs())
	case r.Reason == ByDespawn:
		return fmt.Sprintf("the server despawned %s", r.bothIDs())
	case r.Reason == ByInput:
		return fmt.Sprintf("input of %s was taken to be %s (%v), is %s", r.bothIDs(), r.Input, r.Status, r.RightInput)
	case r.Field == "":
		return fmt.Sprintf("%s has other components on the server", r.bothIDs())
	}
	what := fmt.Sprintf("%s of %s was %s, is %s", r.Field, r.bothIDs(), r.Predicted, r.Confirmed)
	if r.Reason == ByResource {
		what = fmt.Sprintf("%s was %s, is %s", r.Field, r.Predicted, r.Confirmed)
	}
	if r.Fields > 0 {
		what += fmt.Sprintf(" (and %d more of its fields)", r.Fields)
	}
	return what
}

// whyTypes finds the types of reported values.
type whyTypes struct {
	components, resources, inputs []whyType
}

type whyType struct {
	typ  reflect.Type
	plan *wire.Plan // nil: it is not sent
}

func newWhyTypes(p *protocol.Protocol) (t whyTypes) {
	for _, c := range registry.Of(p).Components {
		t.components = append(t.components, whyType{c.Type, c.Plan})
	}
	for _, l := range registry.Of(p).Locals {
		t.components = append(t.components, whyType{typ: l.Type})
	}
	for _, r := range registry.Of(p).Resources {
		t.resources = append(t.resources, whyType{r.Type, r.Plan})
	}
	for _, i := range registry.Of(p).Inputs {
		t.inputs = append(t.inputs, whyType{i.Type, i.Plan})
	}
	return t
}

// report formats a rollback as text.
func (t *whyTypes) report(e *whyEntry) RollbackReport {
	c := &e.cause
	r := RollbackReport{
		Tick: e.from, Depth: int(e.to.Sub(e.from)), Reason: c.Reason, Entity: c.Entity, SID: e.sid, Entities: e.more, Cost: e.cost,
		Input: t.input(&e.used), RightInput: t.input(&e.now), Status: e.used.status,
	}
	of := t.components
	if c.Reason == ByResource {
		of = t.resources
	}
	if c.Column >= 0 && c.Column < len(of) {
		of[c.Column].describe(&r, &c.WhyFinding)
	}
	return r
}

// describe finds where two values differ. Either may be missing.
func (w whyType) describe(r *RollbackReport, f *WhyFinding) {
	if f.Predicted != nil && f.Confirmed != nil {
		d := tick.FindDifference(w.typ, w.plan, f.Predicted, f.Confirmed)
		r.Field, r.Predicted, r.Confirmed, r.Fields = d.Field, d.A, d.B, d.More
	}
	switch {
	case r.Field != "":
	case f.Predicted != nil && f.Confirmed != nil && f.PredictedTarget != f.ConfirmedTarget:
		r.Field, r.Predicted, r.Confirmed = "target of "+tick.TypeWord(w.typ), fmt.Sprint(f.PredictedTarget), fmt.Sprint(f.ConfirmedTarget)
	default:
		r.Field, r.Predicted, r.Confirmed = tick.TypeWord(w.typ), w.text(f.Predicted), w.text(f.Confirmed)
	}
}

func (w whyType) text(value []byte) string {
	if value == nil {
		return "none"
	}
	return fmt.Sprintf("%+v", tick.MemoryAsValue(w.typ, value))
}

func (t *whyTypes) input(u *usedInput) string {
	if u.kind < 0 {
		return ""
	}
	return t.inputs[u.kind].text(u.value.bytes())
}
