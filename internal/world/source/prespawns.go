package source

import (
	"log/slog"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/prespawn"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/generic"
)

// Prespawns finds the entities that a tick's simulation spawns with components.Prespawned, and computes
// their hashes: on a server, and on a client, in the same way.
type Prespawns struct {
	world     *ecs.World
	mask      ecs.Mask
	id        ecs.ID
	values    generic.Map[components.Prespawned]
	control   ecs.ID   // components.ControlledBy
	relations []ecs.ID // from children to their parents
	compared  []comparedComponent
	ignored   []ecs.ID // marks of the entities that the network writes

	hasher  prespawn.Hasher
	running bool         // the simulation of a tick runs
	spawned []ecs.Entity // in this tick, in their order

	registered bool
	log        *slog.Logger
	warned     bool
}

// comparedComponent is a component with protocol.Full.
type comparedComponent struct {
	number int
	id     ecs.ID
}

// NewPrespawns returns the prespawned entities of a world. Entities with an ignored component are not
// among them. It fails if the world has a listener of its own.
func NewPrespawns(w *ecs.World, infos []*registry.Component, log *slog.Logger, ignored ...ecs.ID) (*Prespawns, error) {
	p := &Prespawns{
		world: w, id: ecs.ComponentID[components.Prespawned](w), values: generic.NewMap[components.Prespawned](w),
		control: ecs.ComponentID[components.ControlledBy](w), relations: HierarchyRelations(w, infos), ignored: ignored, log: log,
	}
	p.mask = ecs.All(p.id)
	for _, info := range infos {
		p.registered = p.registered || info.Type == TypeOf[components.Prespawned]()
		if info.Predict == registry.Full {
			p.compared = append(p.compared, comparedComponent{info.Number, ecs.TypeID(w, info.Type)})
		}
	}
	return p, tick.ShareListener(w, p)
}

// HierarchyRelations returns the relations of a world from children to their parents.
func HierarchyRelations(w *ecs.World, infos []*registry.Component) []ecs.ID {
	ids := []ecs.ID{ecs.ComponentID[components.ChildOf](w)}
	for _, info := range infos {
		if info.Hierarchy && info.Type != TypeOf[components.ChildOf]() {
			ids = append(ids, ecs.TypeID(w, info.Type))
		}
	}
	return ids
}

// Begin begins the simulation of a tick, also of a replayed one.
func (p *Prespawns) Begin() { p.running, p.spawned = true, p.spawned[:0] }

// End ends the simulation of a tick, and sets the hashes of the entities that it has spawned.
func (p *Prespawns) End(at entangle.Tick) {
	p.Cancel()
	if len(p.spawned) == 0 {
		return
	}
	p.hasher.Begin(at)
	kept := p.spawned[:0]
	for _, e := range p.spawned {
		if !p.world.Alive(e) || !p.values.Has(e) {
			continue
		}
		kept = append(kept, e)
		if v := p.values.Get(e); v.Hash == 0 {
			v.Hash = p.hasher.Hash(p.comparedOf(e), p.ownerOf(e), v.Salt)
		}
	}
	p.spawned = kept
}

// Cancel ends the simulation of a tick without hashes.
func (p *Prespawns) Cancel() { p.running = false }

// Spawned returns the entities of the last End, in the order in which they were spawned, until the next
// Begin.
func (p *Prespawns) Spawned() []ecs.Entity { return p.spawned }

// Has reports whether an entity has components.Prespawned.
func (p *Prespawns) Has(e ecs.Entity) bool { return p.values.Has(e) }

// HashOf returns the hash of an entity with components.Prespawned.
func (p *Prespawns) HashOf(e ecs.Entity) uint32 { return p.values.Get(e).Hash }

// comparedOf returns the numbers of the components that predicting clients compare.
func (p *Prespawns) comparedOf(e ecs.Entity) (comps set.Mask) {
	for _, c := range p.compared {
		if p.world.Has(e, c.id) {
			comps.Set(c.number)
		}
	}
	return comps
}

// ownerOf returns the client that an entity's ControlledBy names, or that of its nearest ancestor with
// one.
func (p *Prespawns) ownerOf(e ecs.Entity) entangle.ClientID {
	for range MaxDepth {
		if by := (*components.ControlledBy)(p.world.Get(e, p.control)); by != nil {
			return by.Client
		}
		if e = p.parentOf(e); e.IsZero() || !p.world.Alive(e) {
			break
		}
	}
	return entangle.Nobody
}

// parentOf returns the parent of an entity, or the zero entity.
func (p *Prespawns) parentOf(e ecs.Entity) (parent ecs.Entity) {
	for _, id := range p.relations {
		if p.world.Has(e, id) {
			return p.world.Relations().Get(e, id)
		}
	}
	return parent
}

// Subscriptions implements ecs.Listener.
func (p *Prespawns) Subscriptions() event.Subscription {
	return event.EntityCreated | event.ComponentAdded
}

// Components implements ecs.Listener.
func (p *Prespawns) Components() *ecs.Mask { return &p.mask }

// Notify implements ecs.Listener. It changes nothing: the world may be locked.
func (p *Prespawns) Notify(w *ecs.World, evt ecs.EntityEvent) {
	if w != p.world || !w.Alive(evt.Entity) {
		return
	}
	for _, id := range p.ignored {
		if w.Has(evt.Entity, id) {
			return
		}
	}
	switch {
	case !p.registered:
		p.warn("a components.Prespawned has no effect, because it is not registered; add protocol.Component[components.Prespawned](p)", evt.Entity)
	case !p.running:
		p.warn("an entity with components.Prespawned was spawned outside of plugin.FixedMain, where its tick is not known, so that it is not "+
			"the same entity on the other side; spawn it in a system in plugin.FixedMain, on the server and on the client", evt.Entity)
	default:
		p.spawned = append(p.spawned, evt.Entity)
	}
}

// warn logs a mistake in the use of components.Prespawned, the first only.
func (p *Prespawns) warn(mistake string, e ecs.Entity) {
	if !p.warned {
		p.warned = true
		p.log.Warn(mistake, "entity", e)
	}
}
