package netsim

import (
	"fmt"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// resources compares a client's resources with those that it should have. A resource that the
// server does not replicate at present may have any value.
func (t *translation) resources(server, client *inspect.Mirror, gets func(*inspect.MirroredResource) bool) error {
	for i := range client.Resources {
		info, s, c := server.ResourceInfos[i], &server.Resources[i], &client.Resources[i]
		switch wanted := gets(s); {
		case !s.On || s.There && s.Wire == nil || !wanted && !c.There:
		case !c.There:
			return fmt.Errorf("it lacks the resource %v", info.Type)
		case !wanted:
			return fmt.Errorf("it has the resource %v, which it is not to have", info.Type)
		default:
			if err := t.resource(info, s, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// resource compares two values of a resource.
func (t *translation) resource(info *registry.Resource, server, client *inspect.MirroredResource) error {
	want, got := t.decodeResource(info, server, t.local), t.decodeResource(info, client, nil)
	if equalAny(info, want, got) || t.late && t.equalResourceButLate(info, server, client) {
		return nil
	}
	is, should := shorten(script.FormatValue(got), script.FormatValue(want))
	return fmt.Errorf("the resource %v is %s, the server's is %s", info.Type, is, should)
}

// equalResourceButLate is equalButLate for a resource.
func (t *translation) equalResourceButLate(info *registry.Resource, server, client *inspect.MirroredResource) bool {
	none := map[ecs.Entity]ecs.Entity{}
	return t.among(server.Refs, client.Refs) &&
		equalAny(info, t.decodeResource(info, server, none), t.decodeResource(info, client, none))
}

func equalAny(info *registry.Resource, a, b reflect.Value) bool {
	return info.Plan.EqualAny(a.Addr().Interface(), b.Addr().Interface())
}

// decodeResource decodes a value. Unless local is nil, it translates entities by it.
func (t *translation) decodeResource(info *registry.Resource, r *inspect.MirroredResource, local map[ecs.Entity]ecs.Entity) reflect.Value {
	value := reflect.New(info.Type)
	var in bits.Reader
	in.Reset(r.Wire)
	if err := info.Plan.DecodeAny(&in, value.Interface(), refReader{r.Refs, local}); err != nil {
		panic(fmt.Sprintf("netsim: a %v that was just encoded can't be decoded: %v", info.Type, err))
	}
	return value.Elem()
}
