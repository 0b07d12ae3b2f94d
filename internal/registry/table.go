package registry

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/entangle-ecs/entangle/internal/wire"
)

// String returns a table of the registry. For each type it has the most bits of a value on the
// wire.
func (r *Registry) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d ticks per second, protocol %016x\n", r.Name, r.TickRate, r.Hash)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(kind Kind, number int, name string, plan *wire.Plan, options ...string) {
		fmt.Fprintf(w, "%v\t%d\t%s\t%s\t%s\n", kind, number, name, plan.Width(), strings.Join(options, " "))
	}
	for _, i := range r.Components {
		row(KindComponent, i.Number, i.Name, i.Plan, i.options()...)
	}
	for _, i := range r.Locals {
		fmt.Fprintf(w, "%v\t\t%s\tnot sent\t\n", KindLocal, i.Name)
	}
	for _, t := range r.Unsent {
		fmt.Fprintf(w, "%v\t\t%s\tnot sent\t\n", KindUnsent, wire.TypeName(t))
	}
	for _, i := range r.Inputs {
		row(KindInput, i.Number, i.Name, i.Plan, flag(i.Rebroadcast, "rebroadcast"))
	}
	for _, i := range r.Messages {
		row(KindMessage, i.Number, i.Name, i.Plan, i.Mode.String(), i.Direction.String(), flag(i.Channel != nil, "via "+i.via()), flag(i.Relay, "relay"), flag(i.WhenShown, "when shown"))
	}
	for _, i := range r.Requests {
		row(KindRequest, i.Number, i.Name, i.Question, "answer "+i.Answer.Width())
	}
	for _, i := range r.Resources {
		row(KindResource, i.Number, i.Name, i.Plan, flag(i.Rollback, "rollback"))
	}
	for _, c := range r.Channels {
		fmt.Fprintf(w, "%v\t%d\t%s\t\t%v %v\n", KindChannel, c.Number, c.Name, c.Mode, c.Direction)
	}
	for n, i := range r.Intents {
		fmt.Fprintf(w, "%v\t%d\t%s\t\t\n", KindIntent, n, i.Name())
	}
	_ = w.Flush() // a strings.Builder returns no errors
	return b.String()
}

func (i *Component) options() []string {
	return []string{
		"predict " + i.Predict.String(), flag(i.Interpolate != Simple, "interpolate "+i.Interpolate.String()),
		flag(i.Once, "once"), flag(i.Input, "presence of an input"), flag(i.Delta, "delta"), flag(i.Round, "rounded"),
	}
}

func flag(on bool, name string) string {
	if on {
		return name
	}
	return ""
}
