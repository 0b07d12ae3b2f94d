package protocol

import (
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
)

// IntentRule has methods that set the options of an intent.
type IntentRule[B any] struct{ def *intentRule[B] }

type intentRule[B any] struct {
	rule
	info   *registry.Intent
	accept func(w *ecs.World, shooter ecs.Entity, b B) bool
}

// Intent registers that an input of type I can fire an entity with the blueprint B, such as a shot. fire
// says so, and returns the blueprint; it must depend on the input alone. shooter is the entity with the
// input, for a blueprint that refers to it.
//
// With an input delay an input acts some ticks after it is made. The player's client spawns the entity at
// once, the server when the input has arrived, and both before the tick of the input. Until then the entity
// has the blueprint alone, and components.IntentOf. It is assembled in the tick of the input, on the server
// and on all clients that predict it, so that they see the shot begin in the same tick. The two entities are
// one on the player's client, as with components.Prespawned. If the server does not spawn its entity,
// because the input came too late or Accept refused it, the client's is removed.
//
// The entity has as on the server, and ControlledBy with the shooter's owner. Until it is assembled, the
// clients see it that see its shooter, the entity with the input. Register I, B, components.ControlledBy and
// components.Prespawned.
func Intent[I, B any](p *Protocol, fire func(shooter ecs.Entity, input I) (b B, ok bool), as components.Replicate) *IntentRule[B] {
	input, blueprint := reflect.TypeFor[I](), reflect.TypeFor[B]()
	info := &registry.Intent{Input: input, Blueprint: blueprint}
	r := &intentRule[B]{rule: rule{p: p, subject: registry.KindIntent.String() + " " + info.Name(), given: map[string]bool{}}, info: info}
	same := func(i *registry.Intent) bool { return i.Input == input && i.Blueprint == blueprint }
	switch {
	case !p.touch(r.subject):
		r.off = true
	case slices.ContainsFunc(p.intents, same):
		r.fail(ErrTwice, "registered twice: keep one")
		r.off = true
	case !r.present("Intent", fire != nil):
		r.off = true
	}
	if r.off {
		return &IntentRule[B]{r}
	}
	if _, ok := p.taken.kinds[reflect.TypeFor[components.IntentOf]()]; !ok {
		Component[components.IntentOf](p).Predict(Full).Hierarchy()
	}
	r.info.New = func(w *ecs.World) registry.IntentFuncs {
		return &intentFuncs[I, B]{world: w, fire: fire, accept: r.accept, as: as}
	}
	p.intents = append(p.intents, r.info)
	return &IntentRule[B]{r}
}

// Accept sets a function that the server calls when the input has arrived, before the tick of the input. If
// it returns false, the entity is not spawned. Check in it what the client sends: the kind of shot, and how
// soon after the last one it comes. The world is that of the server's present tick.
func (r *IntentRule[B]) Accept(accept func(w *ecs.World, shooter ecs.Entity, b B) bool) *IntentRule[B] {
	if r.def.option("Accept") && r.def.present("Accept", accept != nil) {
		r.def.accept = accept
	}
	return r
}

// finishIntents finds what is missing.
func (p *Protocol) finishIntents() {
	slices.SortFunc(p.intents, func(a, b *registry.Intent) int {
		return strings.Compare(a.Name(), b.Name())
	})
	for _, i := range p.intents {
		r := rule{p: p, subject: registry.KindIntent.String() + " " + i.Name()}
		if p.taken.kinds[i.Input] != registry.KindInput {
			r.unfit("%v is not registered as an input: add protocol.Input[%v](p)", i.Input, i.Input)
		}
		if !slices.ContainsFunc(p.blueprints, func(b *registry.Blueprint) bool { return b.Type == i.Blueprint }) {
			r.unfit("%v is not registered as a blueprint: add protocol.Blueprint", i.Blueprint)
		}
		for _, needs := range []reflect.Type{reflect.TypeFor[components.ControlledBy](), reflect.TypeFor[components.Prespawned]()} {
			if p.taken.kinds[needs] != registry.KindComponent {
				r.unfit("it needs %v: add protocol.Component[%v](p)", needs, needs)
			}
		}
	}
}

// intentFuncs implements registry.IntentFuncs.
type intentFuncs[I, B any] struct {
	world     *ecs.World
	fire      func(shooter ecs.Entity, input I) (B, bool)
	accept    func(w *ecs.World, shooter ecs.Entity, b B) bool
	as        components.Replicate
	blueprint B
}

func (f *intentFuncs[I, B]) Fire(shooter ecs.Entity, input []byte) (blueprint []byte, ok bool) {
	var of I
	copy(memoryOf(&of), input)
	f.blueprint, ok = f.fire(shooter, of)
	return memoryOf(&f.blueprint), ok
}

func (f *intentFuncs[I, B]) Accept(shooter ecs.Entity, blueprint []byte) bool {
	return f.accept == nil || f.accept(f.world, shooter, *(*B)(unsafe.Pointer(&blueprint[0])))
}

func (f *intentFuncs[I, B]) PutReplicate(to []byte) { copy(to, memoryOf(&f.as)) }

// memoryOf returns the memory of a value without Go pointers.
func memoryOf[T any](v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)) }
