package protocol

import "reflect"

// ResourceInfo is a registered resource, for the plugin and for tools.
type ResourceInfo struct {
	Number   int    // on the wire; dense from 0, in the order of names
	Name     string // of the type, with its package path
	Type     reflect.Type
	Plan     *Plan
	Rollback bool // restored and replayed with the predicted entities
}

// ResourceRule takes the options of a resource.
type ResourceRule[T any] struct{ def *resourceRule }

type resourceRule struct {
	rule
	info  ResourceInfo
	codec *codec
}

// Resource registers T as a resource that the server may replicate. It may hold
// what a message may.
func Resource[T any](p *Protocol) *ResourceRule[T] {
	t := reflect.TypeFor[T]()
	def := &resourceRule{rule: newRule(p, KindResource, t), info: ResourceInfo{Name: typeName(t), Type: t}}
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
	if path, pointer := findPointer(r.info.Type, ""); r.info.Rollback && pointer != nil {
		r.unfit("Rollback keeps values as bytes, and field %s is a %v: use a fixed array, or leave Rollback out", path, pointer)
	}
}

// Resources returns the registered resources by number.
func (p *Protocol) Resources() []*ResourceInfo {
	p.build()
	infos := make([]*ResourceInfo, len(p.resources))
	for i, r := range p.resources {
		infos[i] = &r.info
	}
	return infos
}

// ResourceOf returns the registered resource of a type, or nil.
func (p *Protocol) ResourceOf(t reflect.Type) *ResourceInfo {
	p.build()
	for _, r := range p.resources {
		if r.info.Type == t {
			return &r.info
		}
	}
	return nil
}
