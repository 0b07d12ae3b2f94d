package interest_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/interest"
	"github.com/entangle-ecs/entangle/internal/set"
)

var (
	seeds    = flag.Uint64("seeds", 100, "how many random runs to make")
	fromSeed = flag.Uint64("seed", 0, "the seed of the first random run")
)

// run makes random runs, and prints the command that repeats one that fails.
func run(t *testing.T, each func(t *testing.T, rng *rand.Rand)) {
	t.Helper()
	name := t.Name()
	for seed := *fromSeed; seed < *fromSeed+*seeds; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: go test ./internal/core/interest -run '^%s$' -seeds 1 -seed %d", name, seed)
				}
			}()
			each(t, rand.New(rand.NewPCG(seed, 0)))
		})
	}
}

const (
	twinClients  = 5
	twinEntities = 150
	twinRooms    = 4
	twinSources  = 2
)

// pair is a client or an entity, and a room or another row.
type pair struct{ member, other int }

// twin is a simple model of Relevance.
type twin struct {
	joined   map[int]bool
	settings map[pair]interest.Setting // pairs of client and entity
	clients  map[pair]bool             // pairs of client and room
	entities map[pair]bool             // pairs of entity and room
	seen     [twinSources]map[pair]bool
}

func newTwin() *twin {
	t := &twin{
		joined: map[int]bool{}, settings: map[pair]interest.Setting{}, clients: map[pair]bool{}, entities: map[pair]bool{},
	}
	for i := range t.seen {
		t.seen[i] = map[pair]bool{}
	}
	return t
}

func (t *twin) matters(client, entity int, owned bool) bool {
	if !t.joined[client] {
		return false
	}
	if w := t.settings[pair{client, entity}]; w != interest.Unset {
		return w == interest.Shown
	}
	for room := range twinRooms {
		owned = owned || t.clients[pair{client, room}] && t.entities[pair{entity, room}]
	}
	for _, seen := range t.seen {
		owned = owned || seen[pair{client, entity}]
	}
	return owned
}

func (t *twin) leave(client int) {
	delete(t.joined, client)
	dropIf(t.settings, func(p pair) bool { return p.member == client })
	dropIf(t.clients, func(p pair) bool { return p.member == client })
	for _, seen := range t.seen {
		dropIf(seen, func(p pair) bool { return p.member == client })
	}
}

func (t *twin) end(entity int) {
	dropIf(t.settings, func(p pair) bool { return p.other == entity })
	dropIf(t.entities, func(p pair) bool { return p.member == entity })
	for _, seen := range t.seen {
		dropIf(seen, func(p pair) bool { return p.other == entity })
	}
}

func dropIf[V any](m map[pair]V, gone func(pair) bool) {
	for p := range m {
		if gone(p) {
			delete(m, p)
		}
	}
}

// match is a Relevance and its twin, with the result of Matters for each pair and the members of
// rooms as of the last ClearChanges, Join, Leave or End.
type match struct {
	*testing.T
	rng              *rand.Rand
	real             *interest.Relevance
	twin             *twin
	mattered, inside map[pair]bool
}

// roomNumber returns numbers that are far apart, some of which collide in a small table.
func roomNumber(room int) uint32 { return uint32(room) * 0x40000000 }

func (m *match) step() {
	client, entity, room := m.rng.IntN(twinClients), m.rng.IntN(twinEntities), m.rng.IntN(twinRooms)
	inRoom := m.twin.clients[pair{client, room}]
	switch m.rng.IntN(16) {
	case 0:
		m.toggleClient(client)
	case 1:
		m.real.End(entity)
		m.twin.end(entity)
		m.begin(func(p pair) bool { return p.other == entity })
	case 2, 3, 4:
		w := interest.Setting(m.rng.IntN(3))
		m.real.Set(client, entity, w)
		if m.twin.joined[client] {
			m.twin.settings[pair{client, entity}] = w
		}
	case 5, 6:
		want := m.twin.joined[client] && !inRoom
		require.Equal(m, want, m.real.AddClient(roomNumber(room), client))
		if want {
			m.twin.clients[pair{client, room}] = true
		}
	case 7:
		require.Equal(m, inRoom, m.real.RemoveClient(roomNumber(room), client))
		delete(m.twin.clients, pair{client, room})
	case 8, 9, 10:
		require.Equal(m, !m.twin.entities[pair{entity, room}], m.real.AddEntity(roomNumber(room), entity))
		m.twin.entities[pair{entity, room}] = true
	case 11, 12:
		require.Equal(m, m.twin.entities[pair{entity, room}], m.real.RemoveEntity(roomNumber(room), entity))
		delete(m.twin.entities, pair{entity, room})
	default:
		m.see(client, m.rng.IntN(twinSources))
	}
}

func (m *match) toggleClient(client int) {
	if m.twin.joined[client] {
		m.real.Leave(client)
		m.twin.leave(client)
	} else {
		m.real.Join(client)
		m.twin.joined[client] = true
	}
	m.begin(func(p pair) bool { return p.member == client })
}

// begin records the present state, to which later changes are compared.
func (m *match) begin(of func(pair) bool) {
	for client := range twinClients {
		for entity := range twinEntities {
			if p := (pair{client, entity}); of(p) {
				m.mattered[p] = m.twin.matters(client, entity, false)
			}
		}
	}
	for client := range twinClients {
		for room := range twinRooms {
			if of(pair{client, -1}) {
				m.inside[pair{client, room}] = m.twin.clients[pair{client, room}]
			}
		}
	}
}

// see gives a client another set of entities, as long as its largest member requires.
func (m *match) see(client, src int) {
	seen := m.twin.seen[src]
	dropIf(seen, func(p pair) bool { return p.member == client })
	var groups set.Bitset
	for range m.rng.IntN(20) {
		entity := m.rng.IntN(1 + m.rng.IntN(twinEntities))
		groups.Grow(entity + 1)
		groups.Set(entity)
		if m.twin.joined[client] {
			seen[pair{client, entity}] = true
		}
	}
	m.real.See(interest.Source(src), client, groups)
}

func (m *match) check() {
	for client := range twinClients {
		for room := range twinRooms {
			require.Equal(m, m.twin.clients[pair{client, room}], m.real.InRoom(roomNumber(room), client))
		}
		for entity := range twinEntities {
			if says := m.judge(client, entity); says != "" {
				m.Fatalf("client %d, entity %d: %s", client, entity, says)
			}
		}
	}
	m.checkMoves()
}

func (m *match) judge(client, entity int) string {
	matters := m.twin.matters(client, entity, false)
	changed := m.real.Changed(client).Has(entity)
	switch {
	case m.real.Matters(client, entity, false) != matters:
		return "Matters is wrong"
	case m.real.Matters(client, entity, true) != m.twin.matters(client, entity, true):
		return "Matters to an owner is wrong"
	case matters != m.mattered[pair{client, entity}] && !changed:
		return "a change is missing"
	case changed && !m.real.ChangedClients().Has(client):
		return "a changed client is missing"
	}
	return ""
}

func (m *match) checkMoves() {
	moved := map[interest.Move]bool{}
	for _, move := range m.real.Moves() {
		require.False(m, moved[move], "%v is named twice", move)
		moved[move] = true
	}
	for client := range twinClients {
		for room := range twinRooms {
			if p := (pair{client, room}); m.twin.clients[p] != m.inside[p] {
				require.True(m, moved[interest.Move{Room: roomNumber(room), Client: client}])
			}
		}
	}
}

func (m *match) clearChanges() {
	m.real.ClearChanges()
	m.begin(func(pair) bool { return true })
	for client := range twinClients {
		require.True(m, m.real.Changed(client).Empty())
	}
	require.True(m, m.real.ChangedClients().Empty())
	require.Empty(m, m.real.Moves())
}

// After any sequence of calls, Matters equals that of a simple model, and Changed misses no pair
// that changed.
//
// Proves: V5, V6, V14
func TestInterestEqualsItsPlainTwin(t *testing.T) {
	run(t, func(t *testing.T, rng *rand.Rand) {
		m := &match{T: t, rng: rng, real: interest.New(), twin: newTwin(), mattered: map[pair]bool{}, inside: map[pair]bool{}}
		for range twinSources {
			m.real.AddSource()
		}
		m.clearChanges()
		for range 40 {
			for range rng.IntN(30) {
				m.step()
			}
			m.check()
			m.clearChanges()
		}
	})
}
