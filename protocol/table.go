package protocol

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// String returns a table of what is registered, with the most bits that a value
// takes on the wire.
func (p *Protocol) String() string {
	p.build()
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d ticks per second, protocol %016x\n", p.config.Name, p.config.TickRate, p.Hash())
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(kind Kind, number int, name string, plan *Plan, options ...string) {
		fmt.Fprintf(w, "%v\t%d\t%s\t%s\t%s\n", kind, number, name, plan.width(), strings.Join(options, " "))
	}
	for _, i := range p.Components() {
		row(KindComponent, i.Number, i.Name, i.Plan, i.options()...)
	}
	for _, i := range p.Locals() {
		fmt.Fprintf(w, "%v\t\t%s\tnot sent\t\n", KindLocal, i.Name)
	}
	for _, t := range p.Unsent() {
		fmt.Fprintf(w, "%v\t\t%s\tnot sent\t\n", KindUnsent, typeName(t))
	}
	for _, i := range p.Inputs() {
		row(KindInput, i.Number, i.Name, i.Plan, flag(i.Rebroadcast, "rebroadcast"))
	}
	for _, i := range p.Messages() {
		row(KindMessage, i.Number, i.Name, i.Plan, i.Mode.String(), i.Direction.String(), flag(i.Channel != nil, "via "+i.via()), flag(i.Relay, "relay"))
	}
	for _, i := range p.Requests() {
		row(KindRequest, i.Number, i.Name, i.Question, "answer "+i.Answer.width())
	}
	for _, i := range p.Resources() {
		row(KindResource, i.Number, i.Name, i.Plan, flag(i.Rollback, "rollback"))
	}
	for _, c := range p.channels {
		fmt.Fprintf(w, "%v\t%d\t%s\t\t%v %v\n", KindChannel, c.Number, c.Name, c.Mode, c.Direction)
	}
	_ = w.Flush() // a strings.Builder takes everything
	return b.String()
}

func (i *ComponentInfo) options() []string {
	return []string{
		i.Direction.String(), "predict " + i.Predict.String(), "interpolate " + i.Interpolate.String(),
		flag(i.Once, "once"), flag(i.Input, "presence of an input"), flag(i.Delta, "delta"), flag(i.Round, "rounded"),
	}
}

func flag(on bool, name string) string {
	if on {
		return name
	}
	return ""
}

// width is the size of a value on the wire, in words.
func (p *Plan) width() string {
	switch {
	case p == nil:
		return "unfit"
	case p.codec() != nil:
		return "by codec"
	case p.lists:
		return fmt.Sprintf("up to %d bits", p.maxBits)
	default:
		return fmt.Sprintf("%d bits", p.maxBits)
	}
}
