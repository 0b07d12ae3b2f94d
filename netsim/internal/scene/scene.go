package scene

import (
	"fmt"
	"reflect"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
)

// Scene is a server with its clients, for the standard verbs to act on. Clients are numbered from 1
// in the order of creation; 0 is the server.
type Scene interface {
	// Clients returns the numbers of the clients that the script has not disconnected.
	Clients() []int
	// Line returns a client's line.
	Line(client int) *netsim.Line
	// Connect makes a client that starts connecting.
	Connect() (client int, err error)
	// Disconnect ends a client's connection from its side.
	Disconnect(client int) error
	// Run advances time. It writes notable events to the trace.
	Run(d time.Duration, trace *script.Trace) error
	// World returns the world of the server (0) or of a client.
	World(number int) *ecs.World
	// Local returns a client's replica of an entity of the server's world.
	Local(client int, server ecs.Entity) (ecs.Entity, bool)
	// Equal returns nil if every client's world is equal to the server's, or an error that names
	// the difference.
	Equal() error
}

// commands holds the things that a script refers to by name: entities of the server's world,
// component types, and the types of resources and overrides.
type commands struct {
	scene    Scene
	types    map[string]reflect.Type
	entities map[string]ecs.Entity

	resources map[string]*Type
	overrides map[string]*Type
}

// StandardVerbs returns the verbs that every script has, acting on a scene. types are the
// components that scripts may use, each by its type name.
func StandardVerbs(scene Scene, types ...reflect.Type) script.Verbs {
	return newCommands(scene, types).verbs()
}

func newCommands(scene Scene, types []reflect.Type) *commands {
	c := &commands{
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
			t.registerIn(c)
		}
	}
	return c
}

// verbs returns the standard verbs.
func (c *commands) verbs() script.Verbs {
	verbs := script.Verbs{
		"connect": c.connectClients, "disconnect": c.disconnectClients, "run": c.advanceTime,
		"spawn": c.spawnEntity, "despawn": c.despawnEntity, "insert": c.insertComponents, "remove": c.removeComponents, "set": c.setComponents,
		"group": c.moveToGroup, "target": c.setTarget, "predict": c.setPredict, "interpolate": c.setInterpolate, "override": c.setOverride, "owner": c.setOwner, "rate": c.setSendRate,
		"relevance": c.setRelevance, "viewer": c.setViewer,
		"attach": c.attachEntity, "detach": c.detachEntity, "persist": c.persistReplicas,
		"put": c.putResource, "take": c.removeResource, "replicate": c.replicateResource,
		"expect": c.expect,
	}
	c.addLineVerbs(verbs)
	return verbs
}

func (c *commands) world() *ecs.World { return c.scene.World(0) }
