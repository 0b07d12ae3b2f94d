package source

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/mlange-42/arche/ecs"
)

// sight decides which clients get which entities, and which of their components. A group that
// every client may see, with all components of all entities, is public. Any other group is
// private: it is shown to each client that one of its entities is for, and a view hides the other
// entities. A view also hides the components that an override withholds from some clients. The
// sender does not have the components that an override withholds from all clients.
//
// An entity with conditional relevance is in a private group too. The group is shown to those of
// its clients to which it is relevant.
//
// The clients that predict an entity do not matter for its group: see foresight.
//
// Only changes are evaluated again: an entity's Replicate or ControlledBy, its overrides, the
// members of its group, the connected clients, and the relevance of one entity to one client.
type sight struct {
	publisher *Publisher
	Targets   *components.Targets
	Overrides overrides

	// By slot. A paused entity keeps its values.
	target    []components.Target // of its Replicate
	Owner     []entangle.ClientID // of its ControlledBy
	crowd     []*crowd            // nil: it is a group of its own
	relevance []components.Relevance
	turned    repl.Bitset          // its relevance became Retained in this tick
	resting   map[repl.Slot]rested // of paused entities

	Foresight foresight

	crowds  crowds
	Clients []Spectator
	watched repl.Bitset                  // private groups of one entity
	Rooms   refs.Chains[components.Room] // slots, by the room that is their target

	stirred []repl.Slot
	noted   repl.Bitset // slots in stirred

	members []repl.Slot  // scratch: members of a crowd that are in its private group
	one     [1]repl.Slot // scratch: a group of one
	hidden  []sender.Hidden
	Lacking lacking
	unmade  uint64 // number of sets of clients that could not be made, as logged
}

func newSight(p *Publisher, w *ecs.World) sight {
	v := sight{
		publisher: p, Targets: TargetsOf(w), Overrides: newOverrides(), crowds: crowds{byName: map[uint64]*crowd{}},
		Rooms: refs.NewChains[components.Room](), Foresight: newForesight(), resting: map[repl.Slot]rested{},
	}
	v.Targets.HeldBy(p.held)
	v.Targets.AskRooms(p.interest.Shares)
	return v
}

// open reports whether all clients, also future ones, may see an entity and all its ancestors.
func (v *sight) open(s repl.Slot) bool {
	if v.relevance[s] != components.Always || v.Overrides.partial.Has(int(s)) {
		return false
	}
	for above := true; above; s, above = v.publisher.Family.above(s) {
		if !v.opens(s) || len(v.resting[s].line) > 0 {
			return false
		}
	}
	return true
}

// opens is open for the entity's own target.
func (v *sight) opens(s repl.Slot) bool {
	switch v.target[s] {
	case components.Default, components.Everyone:
		return true
	case components.NotOwner:
		return v.Owner[s] == entangle.Nobody
	default:
		return false
	}
}

// effective reports whether a client may see an entity that is not paused. The client must be in
// the target of the entity and of all its ancestors; for a paused ancestor the target at that time
// counts.
func (v *sight) effective(s repl.Slot, client entangle.ClientID) bool {
	for above := true; above; s, above = v.publisher.Family.above(s) {
		if !v.includes(v.target[s], s, client) {
			return false
		}
		for _, rested := range v.resting[s].line {
			if !v.names(rested, client) {
				return false
			}
		}
	}
	return true
}

// Sees reports whether a client may see an entity if it sees its group. A paused entity stays
// visible to the clients that have it, and to no others, so repeated calls return the same answer.
func (v *sight) Sees(c *Spectator, s repl.Slot) bool {
	if v.publisher.Paused.Has(int(s)) {
		return c.keeps(s)
	}
	return v.effective(s, c.id)
}

// includes reports whether a target set on an entity includes a client.
func (v *sight) includes(t components.Target, s repl.Slot, client entangle.ClientID) bool {
	return v.names(aimed{t, v.Owner[s]}, client)
}

// names is includes for a target and the owner to which it may refer.
func (v *sight) names(a aimed, client entangle.ClientID) bool {
	switch a.target {
	case components.Owner:
		return a.owner == client
	case components.NotOwner:
		return a.owner != client
	default:
		return v.Targets.Contains(a.target, client)
	}
}

// name returns the name of the group that an entity belongs in: the one that its Replicate or that
// of its root names, or the name of its hierarchy.
func (v *sight) name(s repl.Slot) uint64 { return v.publisher.Family.group(s) }

// place returns the group that an entity belongs in.
func (v *sight) place(s repl.Slot) sender.Place {
	if c := v.crowd[s]; c != nil {
		return sender.Place{Name: uint32(c.name), Family: uint32(c.name >> 32), Private: c.private}
	}
	return sender.Place{Private: !v.open(s)}
}

// grow makes room for slots below n.
func (v *sight) grow(n int) {
	for len(v.target) < n {
		v.target = append(v.target, components.Default)
		v.Owner = append(v.Owner, entangle.Nobody)
		v.crowd = append(v.crowd, nil)
		v.relevance = append(v.relevance, components.Always)
	}
	v.turned.Grow(n)
	v.watched.Grow(n)
	v.noted.Grow(n)
	v.Overrides.on.Grow(n)
	v.Overrides.partial.Grow(n)
}

// aim records an entity's target.
func (v *sight) aim(s repl.Slot, target components.Target) {
	if room, ok := v.target[s].Room(); ok {
		v.Rooms.Remove(room, int32(s))
	}
	v.target[s] = target
	if room, ok := target.Room(); ok {
		v.Rooms.Add(room, int32(s))
	}
}

// stir marks an entity stale: its visibility is evaluated again in this tick.
func (v *sight) stir(s repl.Slot) {
	if !v.noted.Has(int(s)) {
		v.noted.Set(int(s))
		v.stirred = append(v.stirred, s)
	}
	if c := v.crowd[s]; c != nil {
		v.crowds.stir(c)
	}
}
