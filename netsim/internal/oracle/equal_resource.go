package oracle

import (
	"fmt"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// compareResources compares a client's resources with those that it should have; gets reports
// whether it should have one of the server's. A resource that the server does not replicate at
// present may have any value.
func (t *translation) compareResources(server, client *inspect.Mirror, gets func(*inspect.MirroredResource) bool) error {
	for i := range client.Resources {
		info, s, c := server.ResourceInfos[i], &server.Resources[i], &client.Resources[i]
		switch wanted := gets(s); {
		case !s.On || s.There && s.Wire == nil || !wanted && !c.There:
		case !c.There:
			return fmt.Errorf("it lacks the resource %v", info.Type)
		case !wanted:
			return fmt.Errorf("it has the resource %v, which it is not to have", info.Type)
		default:
			if err := t.compareResource(info, s, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareResource compares two values of a resource.
func (t *translation) compareResource(info *registry.Resource, server, client *inspect.MirroredResource) error {
	want, got := t.decodeResource(info, server, t.replicas), t.decodeResource(info, client, nil)
	if equalAny(info, want, got) || t.allowsEmptyRefs && t.equalResourceButRefs(info, server, client) {
		return nil
	}
	is, should := shortenLists(script.FormatValue(got), script.FormatValue(want))
	return fmt.Errorf("the resource %v is %s, the server's is %s", info.Type, is, should)
}

// equalResourceButRefs is equalButRefs for a resource.
func (t *translation) equalResourceButRefs(info *registry.Resource, server, client *inspect.MirroredResource) bool {
	noReplicas := map[ecs.Entity]ecs.Entity{}
	return t.refsAmong(server.Refs, client.Refs) &&
		equalAny(info, t.decodeResource(info, server, noReplicas), t.decodeResource(info, client, noReplicas))
}

func equalAny(info *registry.Resource, a, b reflect.Value) bool {
	return info.Plan.EqualAny(a.Addr().Interface(), b.Addr().Interface())
}

// decodeResource decodes the value of a resource. If replicas is not nil, each of the server's
// entities in the value is replaced by the client's replica of it.
func (t *translation) decodeResource(info *registry.Resource, r *inspect.MirroredResource, replicas map[ecs.Entity]ecs.Entity) reflect.Value {
	value := reflect.New(info.Type)
	var in bits.Reader
	in.Reset(r.Wire)
	if err := info.Plan.DecodeAny(&in, value.Interface(), refReader{r.Refs, replicas}); err != nil {
		panic(fmt.Sprintf("netsim: a %v that was just encoded can't be decoded: %v", info.Type, err))
	}
	return value.Elem()
}
