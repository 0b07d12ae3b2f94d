package protocol

import (
	"reflect"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
)

// ResourceRule has methods that set the options of a resource.
type ResourceRule[T any] struct{ def *resourceRule }

type resourceRule struct {
	rule
	info  registry.Resource
	codec *wire.Codec
}

// Resource registers T as a resource that the server may replicate. It may have the same fields as
// a message.
func Resource[T any](p *Protocol) *ResourceRule[T] {
	t := reflect.TypeFor[T]()
	def := &resourceRule{rule: newRule(p, registry.KindResource, t), info: registry.Resource{Name: wire.TypeName(t), Type: t}}
	if !def.off {
		p.resources = append(p.resources, def)
	}
	return &ResourceRule[T]{def}
}

// Rollback keeps the resource's values per tick and restores them in a rollback.
// T must then not hold Go pointers, text or slices.
func (r *ResourceRule[T]) Rollback() *ResourceRule[T] {
	if r.def.option("Rollback") {
		r.def.info.Rollback = true
	}
	return r
}

// Codec replaces the built-in encoding of T. A T with entity fields needs a
// RefCodec.
func (r *ResourceRule[T]) Codec(c Codec[T]) *ResourceRule[T] {
	setCodec(&r.def.rule, "Codec", c, &r.def.codec)
	return r
}

func (r *resourceRule) finish(number int) {
	r.info.Number = number
	r.info.Plan = r.p.plan(r.subject, r.info.Type, true, r.codec)
	if path, pointer := wire.FindPointer(r.info.Type, ""); r.info.Rollback && pointer != nil {
		r.unfit("Rollback keeps values as bytes, and field %s is a %v: use a fixed array, or leave Rollback out", path, pointer)
	}
}
