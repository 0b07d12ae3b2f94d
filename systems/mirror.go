package systems

import (
	"cmp"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Mirror is what one side holds of the replicated world at the moment it was
// taken, in a form in which the sides can be compared. It is for tests and tools:
// taking one encodes the whole world.
type Mirror struct {
	// Components are those of the protocol, by number.
	Components []*protocol.ComponentInfo
	// Tick that the world was last looked at, on a server.
	Tick entangle.Tick
	// Entities in the order of their ids, on a server without one.
	Entities []Mirrored
	// Groups of a client, in the order of their handles.
	Groups []MirroredGroup
	// ResourceInfos are those of the protocol, and Resources what is there of each, by
	// number.
	ResourceInfos []*protocol.ResourceInfo
	Resources     []MirroredResource
}

// MirroredGroup is what a client holds together, at one tick.
type MirroredGroup struct {
	Handle uint32
	// Tick of the server that the group is at.
	Tick entangle.Tick
	// Members are the ids of its entities. An entity that has left its group and did
	// not get to the next yet is in none.
	Members []uint64
}

// Mirrored is one replicated entity.
type Mirrored struct {
	// ID is that by which a client knows the entity, 0 on a server: see Server.Names.
	ID uint64
	// Entity is the entity in the world of the side that was asked. On a client it
	// is dead if the game removed it there.
	Entity ecs.Entity
	// Tick is the server's tick whose state a client holds of the entity.
	Tick entangle.Tick
	// Paused: its server tells nothing of it at present.
	Paused bool
	// Group that the entity's Replicate names, on a server and unless it is paused.
	Group components.Group
	// Values of the components that it has, by rising number.
	Values []MirroredValue
	// Overrides of its components, on a server, by rising number.
	Overrides []MirroredOverride
}

// MirroredOverride says who gets a component of an entity.
type MirroredOverride struct {
	Component int
	Target    components.Target
}

// MirroredValue is the value of one component.
type MirroredValue struct {
	Component int
	// Wire is the value as it is sent, but with every entity as a place in Refs,
	// counting from 1. A client's entities that are no copies count as none, and so
	// does the target of a relation that is gone, or the entity itself.
	Wire []byte
	Refs []ecs.Entity
}

// Named is a name that a client knows an entity of its server by.
type Named struct {
	// ID is that of the client's Mirrored.
	ID     uint64
	Entity ecs.Entity // of the server
}

// sort brings the entities into the order of their ids.
func (m *Mirror) sort() {
	slices.SortStableFunc(m.Entities, func(a, b Mirrored) int { return cmp.Compare(a.ID, b.ID) })
}

// mirrorID makes one number of an id, above 0.
func mirrorID(id repl.ID) uint64 { return 1 + (uint64(id.Group)<<16 | uint64(id.Member)) }

// mirrorRefs gathers the entities of one value that known finds.
type mirrorRefs struct {
	known func(ecs.Entity) bool
	refs  []ecs.Entity
}

// Index implements protocol.RefWriter.
func (m *mirrorRefs) Index(e ecs.Entity) uint32 {
	if !m.known(e) {
		return 0
	}
	m.refs = append(m.refs, e)
	return uint32(len(m.refs))
}

// value encodes one component; target is that of a relation, else nil.
func (m *mirrorRefs) value(comp int, plan *protocol.Plan, memory []byte, target *ecs.Entity) MirroredValue {
	var w bits.Writer
	m.refs = nil
	plan.Encode(&w, memory, m)
	if target != nil {
		protocol.EncodeTarget(&w, *target, m)
	}
	return MirroredValue{Component: comp, Wire: w.Finish(), Refs: m.refs}
}

// Mirror returns what is replicated from this side, as the world is now. The
// error is that of Observe.
func (p *Publisher) Mirror(infos []*protocol.ComponentInfo) (*Mirror, error) {
	if err := p.table.Sync(); err != nil {
		return nil, err
	}
	m := &Mirror{Components: infos, Tick: p.world.Tick()}
	refs := mirrorRefs{known: func(ecs.Entity) bool { return true }}
	for s := range columns.Slot(p.table.Slots()) {
		e := p.table.Entity(s)
		if e.IsZero() {
			continue
		}
		if found, ok := p.table.SlotOf(e); !ok || found != s {
			continue // reported as despawned, and gone
		}
		if p.family.kindred.withheld.Has(int(s)) {
			continue
		}
		m.Entities = append(m.Entities, p.mirrored(s, e, &refs))
	}
	return m, nil
}

func (p *Publisher) mirrored(s columns.Slot, e ecs.Entity, refs *mirrorRefs) Mirrored {
	out := Mirrored{Entity: e, Tick: p.world.Tick(), Paused: p.table.Marker(s) == nil}
	if out.Paused {
		return out
	}
	out.Group = p.replicate(repl.Slot(s)).Group
	for comp := range p.plans {
		if target, ok := p.Overridden(e, comp); ok {
			out.Overrides = append(out.Overrides, MirroredOverride{comp, target})
		}
	}
	mask := p.numbers(p.table.Mask(s))
	for comp := mask.Next(0); comp >= 0; comp = mask.Next(comp + 1) {
		out.Values = append(out.Values, refs.value(comp, p.plans[comp], p.table.Value(s, p.cols[comp]), p.targetOf(s, comp)))
	}
	return out
}

// Names returns how a connected client knows what is replicated, as far as it has
// names for it.
func (s *Server) Names(client entangle.ClientID) (names []Named) {
	for _, c := range s.open {
		if c.id == client && s.publisher != nil {
			return s.publisher.names(c.peer.Updates())
		}
	}
	return nil
}

func (p *Publisher) names(to *sender.Peer) (names []Named) {
	if to == nil {
		return nil
	}
	for s := range repl.Slot(p.table.Slots()) {
		if id, ok := to.Named(s); ok {
			names = append(names, Named{mirrorID(id), p.table.Entity(columns.Slot(s))})
		}
	}
	return names
}

// Mirror returns what the connection holds, its groups included. It is empty without
// one.
func (c *Client) Mirror(infos []*protocol.ComponentInfo) *Mirror {
	if c.copy == nil {
		return &Mirror{Components: infos}
	}
	m := c.copy.Mirror(infos)
	if c.resources != nil {
		m.Resources = c.resources.Mirror()
	}
	if c.receiver == nil {
		return m
	}
	for _, h := range c.receiver.Groups(nil) {
		tick, _ := c.receiver.Held(h)
		g := MirroredGroup{Handle: uint32(h), Tick: tick}
		for _, s := range c.receiver.Members(h, nil) {
			g.Members = append(g.Members, mirrorID(c.copy.known[s].id))
		}
		m.Groups = append(m.Groups, g)
	}
	return m
}

// Mirror returns what is replicated to this side: of entities that are predicted as the
// server said it last, of others as the world is now. What the game has changed on those
// shows.
func (c *Copy) Mirror(infos []*protocol.ComponentInfo) *Mirror {
	m := &Mirror{Components: infos}
	refs := mirrorRefs{known: func(e ecs.Entity) bool { _, ok := c.slots[e]; return ok && c.world.Alive(e) }}
	for i := range c.entities {
		if e := &c.entities[i]; e.used {
			m.Entities = append(m.Entities, c.mirrored(repl.Slot(i), &refs))
		}
	}
	m.sort()
	return m
}

// Predicted returns the entities that this side predicts as the world is now, with what a
// rollback restores of them.
func (c *Copy) Predicted(infos []*protocol.ComponentInfo) *Mirror {
	m, tag := &Mirror{Components: infos}, ecs.ComponentID[components.Predicted](c.world)
	refs := mirrorRefs{known: func(e ecs.Entity) bool { _, ok := c.slots[e]; return ok && c.world.Alive(e) }}
	for i := range c.entities {
		e := &c.entities[i]
		if !e.used || !c.world.Alive(e.entity) || !c.world.Has(e.entity, tag) {
			continue
		}
		out := Mirrored{ID: mirrorID(c.known[i].id), Entity: e.entity, Tick: e.tick}
		for comp := range c.comps {
			if id := c.comps[comp].id; infos[comp].Predict == protocol.Full && c.world.Has(e.entity, id) {
				plan := c.comps[comp].plan
				memory := c.writer.Bytes(e.entity, id)[:plan.Size()]
				out.Values = append(out.Values, refs.value(comp, plan, memory, c.targetNow(e.entity, comp)))
			}
		}
		m.Entities = append(m.Entities, out)
	}
	m.sort()
	return m
}

// targetNow returns the target of a relation in the world, nil of another component.
func (c *Copy) targetNow(e ecs.Entity, comp int) *ecs.Entity {
	if !c.comps[comp].relation {
		return nil
	}
	target := c.world.Relations().Get(e, c.comps[comp].id)
	return &target
}

func (c *Copy) mirrored(s repl.Slot, refs *mirrorRefs) Mirrored {
	e := &c.entities[s]
	out := Mirrored{ID: mirrorID(c.known[s].id), Entity: e.entity, Tick: e.tick}
	for comp := range c.comps {
		if memory, ok := c.said(s, comp); ok {
			plan := c.comps[comp].plan
			out.Values = append(out.Values, refs.value(comp, plan, memory[:plan.Size()], c.targetOf(s, comp)))
		}
	}
	return out
}

// targetOf returns the target of a relation, nil of another component.
func (p *Publisher) targetOf(s columns.Slot, comp int) *ecs.Entity {
	if !p.relations.Has(p.cols[comp]) {
		return nil
	}
	target := p.table.Target(s)
	if !p.arche.Alive(target) || target == p.table.Entity(s) {
		target = ecs.Entity{}
	}
	return &target
}

func (c *Copy) targetOf(s repl.Slot, comp int) *ecs.Entity {
	if !c.comps[comp].relation {
		return nil
	}
	target := c.saidTarget(s, comp)
	return &target
}

// Matters reports whether an entity that lives matters to a connected client now, whose own
// it may be.
func (p *Publisher) Matters(client entangle.ClientID, e ecs.Entity, own bool) bool {
	row, ok := p.interest.Row(client)
	if n, known := p.interest.known(e); known {
		return ok && p.interest.relevance.Matters(row, n, own)
	}
	return ok && own
}
