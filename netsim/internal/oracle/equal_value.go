package oracle

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// translation maps the server's entities to a client's replicas.
type translation struct {
	replicas map[ecs.Entity]ecs.Entity
	// allowsEmptyRefs allows references that are empty on the client only, because the client may
	// have received them before the entities.
	allowsEmptyRefs bool
	// once returns the allowed values of a component that is sent once, for the current entity.
	// nil: any value is allowed.
	once func(component int) []inspect.MirroredValue
	// despawned, if not nil, reports whether the server's entity of a replica is despawned: relations
	// on the client may then still point to the replica, while those on the server are empty.
	despawned func(replica ecs.Entity) bool
}

// compareValues compares the components of an entity. Both lists are sorted by component.
func (t *translation) compareValues(comps []*registry.Component, server, client []inspect.MirroredValue) error {
	for len(server)+len(client) > 0 {
		switch {
		case len(client) == 0 || len(server) > 0 && server[0].Component < client[0].Component:
			return fmt.Errorf("it lacks %v", comps[server[0].Component].Type)
		case len(server) == 0 || client[0].Component < server[0].Component:
			return fmt.Errorf("it has %v, which the server's has not", comps[client[0].Component].Type)
		}
		if info := comps[server[0].Component]; !info.Refreshed && (!info.Once || !t.hasOnceValue(info, &client[0])) {
			if err := t.compareValue(info, &server[0], &client[0]); err != nil {
				return err
			}
		}
		server, client = server[1:], client[1:]
	}
	return nil
}

// hasOnceValue reports whether a component that is sent once has one of its allowed values.
func (t *translation) hasOnceValue(info *registry.Component, client *inspect.MirroredValue) bool {
	if t.once == nil {
		return true
	}
	return slices.ContainsFunc(t.once(info.Number), func(server inspect.MirroredValue) bool {
		return t.compareValue(info, &server, client) == nil
	})
}

func (t *translation) compareValue(info *registry.Component, server, client *inspect.MirroredValue) error {
	if !info.Plan.HasRefs() && !info.Relation && bytes.Equal(server.Wire, client.Wire) {
		return nil
	}
	want, got := t.decode(info, server, t.replicas), t.decode(info, client, nil)
	if want.target.IsZero() && t.despawned != nil && t.despawned(got.target) {
		got.target = want.target
	}
	if got.equal(info, &want) || t.allowsEmptyRefs && t.equalButRefs(info, server, client) {
		return nil
	}
	if want.target != got.target {
		return fmt.Errorf("%v is of %v, the server's is of %v", info.Type, got.target, want.target)
	}
	is, should := shortenLists(script.FormatValue(got.value), script.FormatValue(want.value))
	return fmt.Errorf("%v is %s, the server's is %s", info.Type, is, should)
}

// maxElements is the maximum number of elements of a value that a reported difference shows.
const maxElements = 8

// shortenLists reduces two long lists to the elements around their first difference.
func shortenLists(a, b string) (string, string) {
	x, y := strings.Split(a, ","), strings.Split(b, ",")
	if len(x) != len(y) || len(x) <= maxElements {
		return a, b
	}
	at := 0
	for at < len(x)-1 && x[at] == y[at] {
		at++
	}
	from := max(0, at-1)
	to := min(len(x), from+maxElements)
	cut := func(words []string) string {
		return fmt.Sprintf("...%s... (from number %d)", strings.Join(words[from:to], ","), from+1)
	}
	return cut(x), cut(y)
}

// equalButRefs reports whether two values differ only in references that are empty on the client.
func (t *translation) equalButRefs(info *registry.Component, server, client *inspect.MirroredValue) bool {
	noReplicas := map[ecs.Entity]ecs.Entity{}
	want, got := t.decode(info, server, noReplicas), t.decode(info, client, noReplicas)
	return t.refsAmong(server.Refs, client.Refs) && got.equal(info, &want)
}

// refsAmong reports whether the client's references are a subset of the server's.
func (t *translation) refsAmong(server, client []ecs.Entity) bool {
	theirs := map[ecs.Entity]bool{}
	for _, e := range server {
		theirs[t.replicas[e]] = true
	}
	return !slices.ContainsFunc(client, func(e ecs.Entity) bool { return !theirs[e] })
}

// decoded is a value in its own memory, with the target of a relation.
type decoded struct {
	memory []byte
	value  reflect.Value
	target ecs.Entity
}

func (d *decoded) equal(info *registry.Component, o *decoded) bool {
	return info.Plan.Equal(d.memory, o.memory) && d.target == o.target
}

// decode decodes the value of a component. If replicas is not nil, each of the server's entities in
// the value is replaced by the client's replica of it.
func (t *translation) decode(info *registry.Component, v *inspect.MirroredValue, replicas map[ecs.Entity]ecs.Entity) (d decoded) {
	value := reflect.New(info.Type)
	d.memory = make([]byte, info.Plan.Size())
	var r bits.Reader
	r.Reset(v.Wire)
	refs := refReader{v.Refs, replicas}
	if err := info.Plan.Decode(&r, d.memory, refs); err != nil {
		panic(fmt.Sprintf("netsim: a %v that was just encoded can't be decoded: %v", info.Type, err))
	}
	if info.Relation {
		d.target = wire.DecodeTarget(&r, refs)
	}
	reflect.Copy(reflect.NewAt(reflect.ArrayOf(len(d.memory), reflect.TypeFor[byte]()), value.UnsafePointer()).Elem(), reflect.ValueOf(d.memory))
	d.value = value.Elem()
	return d
}

// refReader resolves the references of a mirrored value.
type refReader struct {
	refs     []ecs.Entity
	replicas map[ecs.Entity]ecs.Entity
}

// At implements wire.RefReader.
func (r refReader) At(place uint32) (ecs.Entity, bool) {
	if place == 0 || int64(place) > int64(len(r.refs)) {
		return ecs.Entity{}, place == 0
	}
	e := r.refs[place-1]
	if r.replicas != nil {
		e = r.replicas[e]
	}
	return e, true
}
