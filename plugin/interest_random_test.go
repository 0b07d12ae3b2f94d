package plugin_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/plugin"
)

// relevanceModel computes what each client of a game should have, by a direct implementation of the
// rules in docs/STATES.md. The game meanwhile changes relevance at random.
type relevanceModel struct {
	*house
	rng    *rand.Rand
	sight  plugin.Relevance
	places plugin.Override[spot]
	things map[uint32]*thing
	next   uint32
	out    bool // client 2 is not connected
}

// thing is an entity in the model.
type thing struct {
	entity ecs.Entity
	r      components.Replicate
	was    components.Relevance // the previous Relevance
	public bool                 // at the last step it was in a group of its own that all clients see
	paused bool
	moved  bool // it moved to another group in this step: if it were paused, it would stay behind
	at     spot
	owner  entangle.ClientID
	place  components.Target // the target of its spot
	has    [3]possession     // by client
	word   [3]int            // by client; 1: shown, 2: hidden by the game
	in     [3]bool           // by room
}

// possession is the part of an entity that a client has.
type possession struct {
	there, live, placed bool
	at                  spot
}

// attendance holds the rooms of the clients, by room and client.
type attendance [3][3]bool

func (m *relevanceModel) targets(in *attendance) map[components.Target]func(t *thing, c entangle.ClientID) bool {
	sets := m.house.targets()
	return map[components.Target]func(t *thing, c entangle.ClientID) bool{
		components.Everyone: func(*thing, entangle.ClientID) bool { return true },
		components.Nobody:   func(*thing, entangle.ClientID) bool { return false },
		components.Owner:    func(t *thing, c entangle.ClientID) bool { return t.owner == c },
		components.NotOwner: func(t *thing, c entangle.ClientID) bool { return t.owner != c },
		sets.Only(1):        func(_ *thing, c entangle.ClientID) bool { return c == 1 },
		sets.Only(2):        func(_ *thing, c entangle.ClientID) bool { return c == 2 },
		sets.Room(roomA):    func(_ *thing, c entangle.ClientID) bool { return in[roomA][c] },
		sets.Room(roomB):    func(_ *thing, c entangle.ClientID) bool { return in[roomB][c] },
	}
}

// speaks reports whether an entity makes its group relevant to a client.
func (t *thing) speaks(c entangle.ClientID, in *attendance) bool {
	if t.r.Relevance == components.Always || t.word[c] != 0 {
		return t.r.Relevance == components.Always || t.word[c] == 1
	}
	return t.owner == c || t.in[roomA] && in[roomA][c] || t.in[roomB] && in[roomB][c]
}

// judge updates the expected state of a client for all things.
func (m *relevanceModel) judge(c entangle.ClientID, in *attendance) {
	targets := m.targets(in)
	shown := map[components.Group]bool{}
	for _, t := range m.things {
		if !t.paused && targets[t.r.Target](t, c) && t.speaks(c, in) {
			shown[t.r.Group] = true
		}
	}
	for _, t := range m.things {
		h := &t.has[c]
		effective := targets[t.r.Target](t, c)
		placed := targets[t.place](t, c)
		switch {
		case t.paused:
		case effective && (t.r.Group != 0 && shown[t.r.Group] || t.speaks(c, in)):
			*h = possession{there: true, live: true, placed: placed, at: t.at}
		case effective && t.r.Relevance == components.Retained && h.there && !t.public:
			h.live, h.placed = false, h.placed && placed
		default:
			*h = possession{}
		}
	}
}

// check compares what the clients have with the model.
func (m *relevanceModel) check(step int) {
	m.t.Helper()
	for c, p := range map[entangle.ClientID]*player{1: m.a, 2: m.b} {
		ids, where := map[uint32]bool{}, map[uint32]spot{}
		for id, t := range m.things {
			if h := t.has[c]; h.there {
				if ids[id] = true; h.placed {
					where[id] = h.at
				}
			}
		}
		got := map[uint32]bool{}
		for id := range p.copies() {
			got[id] = true
		}
		require.Equal(m.t, ids, got, "step %d: what client %d has", step, c)
		require.Equal(m.t, where, spots(p.world), "step %d: where client %d has it", step, c)
		for id, t := range m.things {
			if !t.paused {
				require.Equal(m.t, t.has[c].live, m.sight.Sees(t.entity, c), "step %d: whether client %d sees %d", step, c, id)
			}
		}
	}
}

// target returns a random target, never Nobody unless that is allowed.
func (m *relevanceModel) target(in *attendance, nobody bool) components.Target {
	sets := m.house.targets()
	all := []components.Target{
		components.Everyone, components.Everyone, components.Everyone, components.Owner, components.NotOwner,
		sets.Only(1), sets.Only(2), sets.Room(roomA), sets.Room(roomB),
	}
	if nobody {
		all = append(all, components.Nobody)
	}
	return all[m.rng.IntN(len(all))]
}

func (m *relevanceModel) spawn(in *attendance) {
	t := &thing{at: spot{float32(m.next), 1}, place: components.Everyone}
	t.r = components.Replicate{
		Target: m.target(in, true), Group: components.Group(m.rng.IntN(3)), Relevance: components.Relevance(m.rng.IntN(2)),
	}
	t.entity = m.spawnOf(t.r, m.next)
	*at[spot](m.world, t.entity) = t.at
	m.things[m.next] = t
	m.next++
}

// change makes a random change to a thing.
func (m *relevanceModel) change(id uint32, t *thing, in *attendance) {
	tags := generic.NewMap1[components.Replicate](m.world)
	c, room := entangle.ClientID(1+m.rng.IntN(2)), components.Room(1+m.rng.IntN(2))
	switch m.rng.IntN(15) {
	case 0:
		if !t.paused {
			m.world.RemoveEntity(t.entity)
			delete(m.things, id)
		}
	case 1, 2:
		if word := m.rng.IntN(3); !m.out || c == 1 {
			t.word[c] = word
			[]func(ecs.Entity, entangle.ClientID) bool{m.sight.Clear, m.sight.Show, m.sight.Hide}[word](t.entity, c)
		}
	case 3, 4:
		if t.in[room] = !t.in[room]; t.in[room] {
			m.rooms.AddEntity(room, t.entity)
		} else {
			m.rooms.RemoveEntity(room, t.entity)
		}
	case 5:
		if !t.paused {
			t.owner = entangle.ClientID(m.rng.IntN(4))
			m.control(t.entity, components.ControlledBy{Client: t.owner, Keep: true})
		}
	case 6, 10, 11:
		if !t.paused {
			t.place = m.target(in, false)
			m.places.SetTarget(t.entity, t.place)
		}
	case 7, 8:
		t.at.X += 0.5
		*at[spot](m.world, t.entity) = t.at
	case 9:
		if t.paused {
			tags.Assign(t.entity, &t.r)
			t.paused = false
		} else if t.r.Group == 0 && !t.moved {
			tags.Remove(t.entity)
			t.paused = true
		}
	default:
		m.retag(t, in)
	}
}

// retag writes to a thing's Replicate. A retained thing stays in a group of its own, and a thing does not become retained
// in the step in which its group changes.
func (m *relevanceModel) retag(t *thing, in *attendance) {
	if t.paused {
		return
	}
	switch m.rng.IntN(3) {
	case 0:
		t.r.Target = m.target(in, true)
	case 1:
		if t.r.Relevance != components.Retained && t.was != components.Retained {
			t.r.Group, t.moved = components.Group(m.rng.IntN(3)), true
		}
	default:
		if t.r.Relevance = components.Relevance(m.rng.IntN(3)); t.r.Group == 0 && !t.moved && m.rng.IntN(2) == 0 {
			t.r.Relevance = components.Retained
		} else if t.r.Group != 0 || t.moved {
			t.r.Relevance %= 2
		}
	}
	*m.tag(t.entity) = t.r
}

// move makes a client enter or leave a room.
func (m *relevanceModel) move(in *attendance) {
	c, room := entangle.ClientID(1+m.rng.IntN(2)), components.Room(1+m.rng.IntN(2))
	if m.out && c == 2 {
		require.False(m.t, m.rooms.AddClient(room, c))
		return
	}
	if in[room][c] = !in[room][c]; in[room][c] {
		require.True(m.t, m.rooms.AddClient(room, c))
	} else {
		require.True(m.t, m.rooms.RemoveClient(room, c))
	}
}

// reconnect disconnects client 2, or connects it again without any earlier state.
func (m *relevanceModel) reconnect(in *attendance) {
	if m.out = !m.out; !m.out {
		m.connect(m.b, 2)
		m.run(20)
		require.Equal(m.t, plugin.Connected, m.b.State())
		m.judge(2, in)
		return
	}
	m.b.Disconnect()
	m.run(5)
	in[roomA][2], in[roomB][2] = false, false
	for _, t := range m.things {
		t.word[2], t.has[2] = 0, possession{}
	}
}

func (m *relevanceModel) step(step int, in *attendance) {
	for _, t := range m.things {
		if !t.paused {
			t.was = t.r.Relevance
			forAll := t.r.Target == components.Everyone || t.r.Target == components.NotOwner && t.owner == entangle.Nobody
			t.public = t.r.Group == 0 && t.was == components.Always && forAll && t.place == components.Everyone
		}
		t.moved = false
	}
	if m.rng.IntN(40) == 0 {
		m.reconnect(in)
	}
	for range 1 + m.rng.IntN(4) {
		if len(m.things) < 5 || m.rng.IntN(8) == 0 && len(m.things) < 20 {
			m.spawn(in)
		}
		ids := make([]uint32, 0, len(m.things))
		for id := range m.next {
			if m.things[id] != nil {
				ids = append(ids, id)
			}
		}
		id := ids[m.rng.IntN(len(ids))]
		m.change(id, m.things[id], in)
		if m.rng.IntN(3) == 0 {
			m.move(in)
		}
	}
	for c := range entangle.ClientID(3) {
		if c == 1 || c == 2 && !m.out {
			m.judge(c, in)
		}
	}
	m.run(6)
	m.check(step)
}

// A game may change targets, relevance, rooms, owners, overrides, groups and pauses in any order,
// and each client has exactly what the rules say. In some runs the groups are nearly full from the
// beginning, so that most things are beyond them: the same rules hold.
//
// Proves: V3, V4, V11, V14, V15
func TestRandomRelevance(t *testing.T) {
	for seed := range uint64(24) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: go test ./plugin -run 'TestRandomRelevance/seed=%d$'", seed)
				}
			}()
			h := newHouse(t)
			m := &relevanceModel{
				house: h, rng: rand.New(rand.NewPCG(seed, 1)), sight: plugin.NewRelevance(h.world),
				places: plugin.NewOverride[spot](h.world), things: map[uint32]*thing{},
			}
			if seed >= 20 {
				m.fillGroups()
			}
			var in attendance
			for step := range 200 {
				m.step(step, &in)
			}
		})
	}
}

// fillGroups puts so many entities that no client may see into both groups that each has space for
// two more.
func (m *relevanceModel) fillGroups() {
	for group := range components.Group(2) {
		for range repl.MaxMembers - 2 {
			m.spawnOf(components.Replicate{Target: components.Nobody, Group: group + 1}, 0)
		}
	}
	m.run(2)
}
