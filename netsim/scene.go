package netsim

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/mlange-42/arche/ecs"
)

// Scene is a server with its clients, for the standard verbs to act on. Clients are numbered from 1
// in the order of creation; 0 is the server.
type Scene interface {
	// Clients returns the numbers of the clients that the script has not disconnected.
	Clients() []int
	// Line returns a client's line.
	Line(client int) *Line
	// Connect makes a client that starts connecting.
	Connect() (client int, err error)
	// Disconnect ends a client's connection from its side.
	Disconnect(client int) error
	// Run advances time. It writes notable events to the trace.
	Run(d time.Duration, trace *Trace) error
	// World returns the world of the server (0) or of a client.
	World(number int) *ecs.World
	// Local returns a client's replica of an entity of the server's world.
	Local(client int, server ecs.Entity) (ecs.Entity, bool)
	// Equal returns nil if every client's world is equal to the server's, or an error that names
	// the difference.
	Equal() error
}

// cast holds the things that a script refers to by name: entities of the server's world, component
// types, and the types of resources and overrides.
type cast struct {
	scene    Scene
	types    map[string]reflect.Type
	entities map[string]ecs.Entity

	resources map[string]*Type
	overrides map[string]*Type
}

// StandardVerbs returns the verbs that every script has, acting on a scene. types are the
// components that scripts may use, each by its type name.
func StandardVerbs(scene Scene, types ...reflect.Type) Verbs { return newCast(scene, types).verbs() }

func newCast(scene Scene, types []reflect.Type) *cast {
	c := &cast{
		scene: scene, types: map[string]reflect.Type{}, entities: map[string]ecs.Entity{},
		resources: map[string]*Type{}, overrides: map[string]*Type{},
	}
	for _, t := range types {
		if c.types[t.Name()] != nil {
			panic(fmt.Sprintf("netsim: two component types are called %s; scripts need different names", t.Name()))
		}
		c.types[t.Name()] = t
	}
	if s, ok := scene.(interface{ usedTypes() []*Type }); ok {
		for _, t := range s.usedTypes() {
			t.join(c)
		}
	}
	return c
}

func (c *cast) verbs() Verbs {
	return Verbs{
		"connect": c.connect, "disconnect": c.disconnect, "run": c.run,
		"latency": c.latency, "jitter": c.jitter, "loss": c.loss,
		"duplicate": c.duplicate, "reorder": c.reorder, "cut": c.cut, "restore": c.restore,
		"spawn": c.spawn, "despawn": c.despawn, "insert": c.insert, "remove": c.remove, "set": c.set,
		"group": c.group, "target": c.target, "predict": c.predict, "override": c.override, "owner": c.owner, "rate": c.rate,
		"relevance": c.relevance, "viewer": c.viewer,
		"attach": c.attach, "detach": c.detach, "persist": c.persist,
		"put": c.put, "take": c.take, "replicate": c.replicate,
		"expect": c.expect,
	}
}

func (c *cast) world() *ecs.World { return c.scene.World(0) }

// clients takes a list of clients. If there is none, it returns all.
func (c *cast) clients(args *Args) ([]int, error) { return args.Clients(c.scene.Clients()) }

// entity takes the name of an entity that exists in the server's world.
func (c *cast) entity(args *Args) (name string, e ecs.Entity, err error) {
	name, err = args.Word()
	if err != nil {
		return "", e, err
	}
	e, ok := c.entities[name]
	if !ok {
		return "", e, noSubject("no entity was spawned as %q", name)
	}
	if !c.world().Alive(e) {
		return "", e, noSubject("%q is despawned", name)
	}
	return name, e, nil
}

// components takes all remaining words as components with optional values, such as Health or
// Position=1,2.
func (c *cast) components(args *Args) ([]ecs.Component, error) {
	if args.Len() == 0 {
		return nil, errMissing
	}
	var all []ecs.Component
	for _, word := range args.Rest() {
		component, err := c.component(word)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(other ecs.Component) bool { return other.ID == component.ID }) {
			return nil, fmt.Errorf("the component %s stands there twice", word)
		}
		all = append(all, component)
	}
	return all, nil
}

func (c *cast) component(word string) (ecs.Component, error) {
	name, text, hasValue := strings.Cut(word, "=")
	t, err := c.componentType(name)
	if err != nil {
		return ecs.Component{}, err
	}
	value := reflect.New(t)
	if hasValue {
		if err := parseValue(value.Elem(), text, c.entities); err != nil {
			return ecs.Component{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return ecs.Component{ID: ecs.TypeID(c.world(), t), Comp: value.Interface()}, nil
}

func (c *cast) componentType(name string) (reflect.Type, error) {
	t, ok := c.types[name]
	if !ok {
		known := make([]string, 0, len(c.types))
		for name := range c.types {
			known = append(known, name)
		}
		slices.Sort(known)
		return nil, fmt.Errorf("no component %q; there are %s", name, strings.Join(known, ", "))
	}
	return t, nil
}
