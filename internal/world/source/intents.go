package source

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/prespawn"
	"github.com/mlange-42/arche/ecs"
)

// Intents spawns the entities that inputs fire ahead of their tick: on a server, and on the client of the
// player.
type Intents struct {
	world  *ecs.World
	writer *columns.Writer
	server bool
	ids    intentIDs
	kinds  [][]intentKind // by number of the input
	hasher prespawn.Hasher

	// IsSpawned reports whether the entity with a hash is there already: after a client's clock has jumped back, a tick
	// runs a second time. Then no other entity is spawned. nil: none is there.
	IsSpawned func(hash uint32) bool
	// OnSpawned is called for each entity. nil: it is not.
	OnSpawned func(e ecs.Entity, hash uint32, tick entangle.Tick)

	// The arguments of the fill function.
	filling *intentKind
	shot    Shot
	hash    uint32
	value   []byte
	fill    func(e ecs.Entity)
}

type intentIDs struct{ of, control, prespawned, replicate ecs.ID }

// intentKind is one blueprint that an input can fire.
type intentKind struct {
	registry.IntentFuncs
	blueprint registry.BlueprintFuncs
	number    int // of the blueprint's component
	id        ecs.ID
	ids       []ecs.ID // of the components that the entity gets
}

// Shot is an input that may fire something.
type Shot struct {
	Shooter ecs.Entity
	ID      repl.ID // of the shooter, as the player's client knows it
	Owner   entangle.ClientID
	Tick    entangle.Tick // in which the input acts
}

// NewIntents returns the intents of a world, nil if none is registered. On a client, marks are further
// components of the entities.
func NewIntents(w *ecs.World, r *registry.Registry, server bool, marks ...ecs.ID) *Intents {
	if len(r.Intents) == 0 {
		return nil
	}
	i := &Intents{
		world: w, writer: columns.NewWriter(w), server: server, kinds: make([][]intentKind, len(r.Inputs)),
		ids: intentIDs{
			of: ecs.ComponentID[components.IntentOf](w), control: ecs.ComponentID[components.ControlledBy](w),
			prespawned: ecs.ComponentID[components.Prespawned](w), replicate: ecs.ComponentID[components.Replicate](w),
		},
	}
	for _, info := range r.Intents {
		input := slices.IndexFunc(r.Inputs, func(n *registry.Input) bool { return n.Type == info.Input })
		blueprint := slices.IndexFunc(r.Blueprints, func(b *registry.Blueprint) bool { return b.Type == info.Blueprint })
		k := intentKind{
			IntentFuncs: info.New(w), blueprint: r.Blueprints[blueprint].New(w),
			number: r.ComponentOf(info.Blueprint).Number, id: ecs.TypeID(w, info.Blueprint),
		}
		k.ids = append([]ecs.ID{k.id, i.ids.of, i.ids.control, i.ids.prespawned}, marks...)
		if server {
			k.ids = append(k.ids, i.ids.replicate)
		}
		i.kinds[input] = append(i.kinds[input], k)
	}
	i.fill = i.putComponents
	return i
}

// Has reports whether inputs of a type can fire something.
func (i *Intents) Has(input int) bool { return i != nil && len(i.kinds[input]) > 0 }

// Fired counts what an input fires.
type Fired struct {
	Spawned int
	Refused int // by the server's function
	Crowded int // for which there was no room
}

// Fire spawns what an input fires, at most as many entities as there is room for.
func (i *Intents) Fire(shot Shot, input int, value []byte, room int) (all Fired) {
	for n := range i.kinds[input] {
		k := &i.kinds[input][n]
		blueprint, ok := k.Fire(shot.Shooter, value)
		if !ok {
			continue
		}
		if all.Spawned >= room {
			all.Crowded++
			continue
		}
		k.blueprint.SetTick(blueprint, shot.Tick)
		if i.server && !k.Accept(shot.Shooter, blueprint) {
			all.Refused++
			continue
		}
		if !i.world.Alive(shot.Shooter) {
			break // the game's function has removed it
		}
		if i.spawn(k, shot, blueprint) {
			all.Spawned++
		}
	}
	return all
}

// spawn spawns an entity with a blueprint. It returns false if that is there already.
func (i *Intents) spawn(k *intentKind, shot Shot, blueprint []byte) bool {
	i.hasher.Begin(shot.Tick)
	i.filling, i.shot, i.value = k, shot, blueprint
	i.hash = i.hasher.Hash(set.MaskOf(k.number), shot.Owner, saltOf(shot.ID))
	if i.IsSpawned != nil && i.IsSpawned(i.hash) {
		return false
	}
	e := i.writer.Spawn(k.ids, i.fill)
	i.writer.SetTarget(e, i.ids.of, shot.Shooter)
	if i.OnSpawned != nil {
		i.OnSpawned(e, i.hash, shot.Tick)
	}
	return true
}

// putComponents writes the components of an entity.
func (i *Intents) putComponents(e ecs.Entity) {
	copy(i.writer.Bytes(e, i.filling.id), i.value)
	(*components.ControlledBy)(i.world.Get(e, i.ids.control)).Client = i.shot.Owner
	(*components.Prespawned)(i.world.Get(e, i.ids.prespawned)).Hash = i.hash
	if i.server {
		i.filling.PutReplicate(i.writer.Bytes(e, i.ids.replicate))
	}
}

// saltOf makes a salt of a network id. docs/PROTOCOL.md describes it.
func saltOf(id repl.ID) (salt uint32) {
	const factor = 0x9e3779b1
	return (uint32(id.Group)*factor+uint32(id.Generation))*factor + uint32(id.Member)
}
