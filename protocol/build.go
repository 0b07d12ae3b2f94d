package protocol

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/mlange-42/arche/ecs"
)

const (
	// ownComponents is how many component types of a world are set aside for
	// this module's own.
	ownComponents = 16

	// archeComponents is how many component types an Arche world holds: creating
	// an archetype panics from 241 on, or, with the build tag tiny, beyond 64.
	archeComponents = min(ecs.MaskTotalBits, 240)

	// MaxComponents is how many types may be registered as components, inputs,
	// local and unsent components together: 224, or 48 with the build tag tiny.
	MaxComponents = archeComponents - ownComponents

	// MaxPerKind is how many messages, requests and resources there may be, each:
	// their numbers fit a byte.
	MaxPerKind = 256

	// MaxChannels is how many channels a game may have of its own. Six bits name
	// a channel, and some are built in.
	MaxChannels = 48
)

// build puts together what was registered: numbers, plans, entries. It is done
// again when something was registered since.
func (p *Protocol) build() {
	if p.built {
		return
	}
	p.built = true
	p.unfit = nil
	p.sort()
	p.count()
	for i, c := range p.channels {
		c.Number = i
	}
	for i, r := range p.components {
		r.finish(i)
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
	p.entries = p.list()
}

func (p *Protocol) sort() {
	byName(p.channels, func(c *ChannelInfo) string { return c.Name })
	byName(p.components, func(r *componentRule) string { return r.info.Name })
	byName(p.locals, func(l *LocalInfo) string { return l.Name })
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
	limit("components, inputs and local components", p.worldly, MaxComponents,
		"an Arche world holds no more types; join small ones, or build without the tag tiny")
	for _, k := range []struct {
		kind Kind
		have int
	}{{KindMessage, len(p.messages)}, {KindRequest, len(p.requests)}, {KindResource, len(p.resources)}} {
		limit(k.kind.String()+"s", k.have, MaxPerKind, "join some, with a field that says which it is")
	}
	limit("channels", len(p.channels), MaxChannels, "let messages share a channel")
}

func setupError(kind error, subject, format string, args ...any) error {
	return &SetupError{Kind: kind, Subject: subject, Problem: fmt.Sprintf(format, args...)}
}

// plan makes the plan of a registered type, by its codec if it has one. It
// returns nil after a mistake.
func (p *Protocol) plan(subject string, t reflect.Type, values bool, c *codec) *Plan {
	var plan *Plan
	var err error
	if c == nil {
		plan, err = compile(t, values, subject)
	} else {
		plan, err = codecPlan(t, values, subject, c)
	}
	if err != nil {
		p.unfit = append(p.unfit, unjoin(err)...)
		return nil
	}
	return plan
}

// unjoin is the inverse of errors.Join.
func unjoin(err error) []error {
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		return many.Unwrap()
	}
	return []error{err}
}

// codecPlan is the plan of a type with a codec: one op for the whole value.
func codecPlan(t reflect.Type, values bool, subject string, k *codec) (*Plan, error) {
	c := compiler{subject: subject, values: values}
	if path, pointer := findPointer(t, ""); pointer != nil && !values {
		c.refusePointer(pointer, path)
	}
	if path := findEntity(t, "", nil); path != "" && !k.refs {
		c.fail(ErrOptions, path, "the type has entities and its codec is no protocol.RefCodec: ids of one world mean nothing in another, so implement EncodeRefs and DecodeRefs")
	}
	if len(c.errs) > 0 {
		return nil, errors.Join(c.errs...)
	}
	if k.refs {
		c.refs = []string{"by codec"}
	}
	c.describe.WriteString("codec " + k.version)
	c.push(op{kind: opCodec, count: 1, codec: k})
	return newPlan(t, &c), nil
}

// findEntity returns the path of the first entity in t, also behind pointers and
// in maps, or "".
func findEntity(t reflect.Type, path string, seen []reflect.Type) string {
	if t == reflect.TypeFor[ecs.Entity]() {
		if path == "" {
			return "(the value itself)"
		}
		return path
	}
	for _, s := range seen {
		if s == t {
			return ""
		}
	}
	seen = append(seen, t)
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if at := findEntity(t.Field(i).Type, join(path, t.Field(i).Name), seen); at != "" {
				return at
			}
		}
	case reflect.Map:
		if at := findEntity(t.Key(), path+"[key]", seen); at != "" {
			return at
		}
		return findEntity(t.Elem(), path+"[]", seen)
	case reflect.Array, reflect.Slice, reflect.Pointer:
		return findEntity(t.Elem(), path+"[]", seen)
	}
	return ""
}
