package inspect

import (
	"cmp"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// Mirror is a snapshot of the replicated world of one side, in a form in which the two sides can be
// compared. It is for tests and tools: taking one encodes the whole world.
type Mirror struct {
	// Components holds the components of the protocol, by number.
	Components []*registry.Component
	// Tick is the tick of the last observation, on a server.
	Tick entangle.Tick
	// Entities are in the order of their ids on a client, and have no ids on a server.
	Entities []Mirrored
	// Groups holds the groups on a client, in the order of their handles.
	Groups []MirroredGroup
	// ResourceInfos holds the resources of the protocol, and Resources the state of each, by
	// number.
	ResourceInfos []*registry.Resource
	Resources     []MirroredResource
}

// MirroredGroup is the state of a group on a client, as of one tick of the server.
type MirroredGroup struct {
	Handle uint32
	// Tick is the server's tick of the group's state.
	Tick entangle.Tick
	// Members are the ids of its entities.
	Members []uint64
}

// Mirrored is one replicated entity.
type Mirrored struct {
	// ID identifies the entity on a client, 0 on a server: see Named.
	ID uint64
	// Entity is the entity in the world of this side. On a client it is dead if the game has
	// removed it.
	Entity ecs.Entity
	// Tick is the server's tick of the newest state that a client has received of the entity.
	Tick entangle.Tick
	// Paused means that the server does not send it at present.
	Paused bool
	// Added means that the plugin added the entity's Replicate. It is set on a server, unless the
	// entity is paused.
	Added bool
	// Group is the group that the entity's Replicate names. It is set on a server, unless the
	// entity is paused.
	Group components.Group
	// Values holds its components, by rising number.
	Values []MirroredValue
	// Overrides holds the overrides of its components on a server, by rising number.
	Overrides []MirroredOverride
}

// MirroredOverride is an override of one component of an entity.
type MirroredOverride struct {
	Component int
	Target    components.Target
}

// MirroredValue is the value of one component.
type MirroredValue struct {
	Component int
	// Wire is the value as it is sent, but with every entity as an index in Refs, counting from 1.
	// A client's entities that are no replicas count as the zero entity. So does a relation target
	// that is gone, or that is the entity itself.
	Wire []byte
	Refs []ecs.Entity
}

// Named maps the id by which a client knows an entity to the entity of its server.
type Named struct {
	// ID is Mirrored.ID of the client's entity.
	ID     uint64
	Entity ecs.Entity // the entity in the server's world
}

// Sort sorts the entities by their ids.
func (m *Mirror) Sort() {
	slices.SortStableFunc(m.Entities, func(a, b Mirrored) int { return cmp.Compare(a.ID, b.ID) })
}

// MirrorID packs a network id into one number above 0.
func MirrorID(id repl.ID) uint64 {
	return 1 + (uint64(id.Generation)*uint64(repl.EndOfHandles)+uint64(id.Group))*repl.MaxMembers + uint64(id.Member)
}

// MirrorRefs collects the entities in one value that Known accepts.
type MirrorRefs struct {
	Known func(ecs.Entity) bool
	refs  []ecs.Entity
}

// Index implements wire.RefWriter.
func (m *MirrorRefs) Index(e ecs.Entity) uint32 {
	if !m.Known(e) {
		return 0
	}
	m.refs = append(m.refs, e)
	return uint32(len(m.refs))
}

// Value encodes one component. target is the target of a relation, or nil.
func (m *MirrorRefs) Value(comp int, plan *wire.Plan, memory []byte, target *ecs.Entity) MirroredValue {
	var w bits.Writer
	m.refs = nil
	plan.Encode(&w, memory, m)
	if target != nil {
		wire.EncodeTarget(&w, *target, m)
	}
	return MirroredValue{Component: comp, Wire: w.Finish(), Refs: m.refs}
}
