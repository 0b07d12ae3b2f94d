package protocol

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
)

const (
	// ownComponents is how many component types of a world are reserved for this module's own.
	ownComponents = 16

	// archeComponents is how many component types an Arche world can have: creating an archetype
	// panics from 241 on, or, with the build tag tiny, beyond 64.
	archeComponents = min(ecs.MaskTotalBits, 240)

	// MaxComponents is how many types may be registered as components, inputs,
	// local and unsent components together: 224, or 48 with the build tag tiny.
	MaxComponents = archeComponents - ownComponents

	// MaxPerKind is the greatest number of messages, of requests and of resources, because each
	// kind is numbered with one byte. It is that of intents, too.
	MaxPerKind = registry.MaxPerKind

	// MaxChannels is how many channels of its own a game may register. Channel ids have six bits,
	// and some are built in.
	MaxChannels = registry.MaxChannels
)

// build makes the registry: numbers, plans, entries. It does so again if something was registered
// since.
func (p *Protocol) build() {
	if p.built {
		return
	}
	p.built = true
	p.unfit = nil
	p.finishBlueprints()
	p.finishIntents()
	p.sort()
	p.count()
	for i, c := range p.channels {
		c.Number = i
	}
	for i, r := range p.components {
		r.finish(i)
	}
	for _, c := range p.curves {
		c.finish(p)
	}
	for _, l := range p.locals {
		p.finishLocal(l)
	}
	for i, r := range p.inputs {
		r.finish(i)
	}
	for i, r := range p.messages {
		r.finish(i)
	}
	for i, r := range p.requests {
		r.finish(i)
	}
	for i, r := range p.resources {
		r.finish(i)
	}
	p.registry = p.list()
}

// list makes the registry.
func (p *Protocol) list() *registry.Registry {
	r := &registry.Registry{
		Name: p.config.Name, TickRate: p.config.TickRate,
		Locals: append(slices.Clone(p.locals), p.parts...), Blueprints: slices.Clone(p.blueprints), Intents: slices.Clone(p.intents), Channels: slices.Clone(p.channels), Unsent: slices.Clone(p.unsent),
	}
	byName(r.Locals, func(l *registry.Local) string { return l.Name })
	slices.SortFunc(r.Unsent, func(a, b reflect.Type) int { return strings.Compare(wire.TypeName(a), wire.TypeName(b)) })
	for _, def := range p.components {
		r.Components = append(r.Components, &def.info)
	}
	for _, def := range p.inputs {
		r.Inputs = append(r.Inputs, &def.info)
	}
	for _, def := range p.messages {
		r.Messages = append(r.Messages, &def.info)
	}
	for _, def := range p.requests {
		r.Requests = append(r.Requests, &def.info)
	}
	for _, def := range p.resources {
		r.Resources = append(r.Resources, &def.info)
	}
	r.SetEntries()
	return r
}

func (p *Protocol) sort() {
	byName(p.channels, func(c *registry.Channel) string { return c.Name })
	byName(p.components, func(r *componentRule) string { return r.info.Name })
	byName(p.locals, func(l *registry.Local) string { return l.Name })
	byName(p.inputs, func(r *inputRule) string { return r.info.Name })
	byName(p.messages, func(r *messageRule) string { return r.info.Name })
	byName(p.requests, func(r *requestRule) string { return r.info.Name })
	byName(p.resources, func(r *resourceRule) string { return r.info.Name })
}

func (p *Protocol) count() {
	limit := func(what string, have, most int, advice string) {
		if have > most {
			p.unfit = append(p.unfit, setupError(ErrTooMany, what, "%d are registered, there is room for %d: %s", have, most, advice))
		}
	}
	limit("components, inputs and local components", p.taken.worldly+len(p.parts), MaxComponents,
		"an Arche world holds no more types; join small ones, or build without the tag tiny")
	for _, k := range []struct {
		kind registry.Kind
		have int
	}{{registry.KindMessage, len(p.messages)}, {registry.KindRequest, len(p.requests)}, {registry.KindResource, len(p.resources)}, {registry.KindIntent, len(p.intents)}} {
		limit(k.kind.String()+"s", k.have, MaxPerKind, "join some, with a field that says which it is")
	}
	limit("channels", len(p.channels), MaxChannels, "let messages share a channel")
}

func setupError(kind error, subject, format string, args ...any) error {
	return &SetupError{Kind: kind, Subject: subject, Problem: fmt.Sprintf(format, args...)}
}

// plan makes the plan of a registered type. It uses the type's codec if it has one. It returns nil
// after a mistake.
func (p *Protocol) plan(subject string, t reflect.Type, values bool, c *wire.Codec) *wire.Plan {
	var plan *wire.Plan
	var err error
	if c == nil {
		plan, err = wire.Compile(t, values, subject)
	} else {
		plan, err = wire.CodecPlan(t, values, subject, c)
	}
	if err != nil {
		p.unfit = append(p.unfit, setupErrors(err)...)
		return nil
	}
	return plan
}

// setupErrors converts the reasons why a type has no plan into mistakes of set-up.
func setupErrors(err error) []error {
	errs := unjoin(err)
	for i, e := range errs {
		var reason *wire.TypeError
		if errors.As(e, &reason) {
			errs[i] = &SetupError{Kind: reason.Kind, Subject: reason.Subject, Problem: reason.Problem}
		}
	}
	return errs
}

// unjoin is the inverse of errors.Join.
func unjoin(err error) []error {
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		return many.Unwrap()
	}
	return []error{err}
}
