package interest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/interest"
	"github.com/entangle-ecs/entangle/internal/set"
)

const (
	alice, bob = 0, 1
	tree, wolf = 3, 70
	red, blue  = uint32(1), uint32(1 << 31)
)

// joined returns a Relevance with two clients.
func joined() *interest.Relevance {
	r := interest.New()
	r.Join(alice)
	r.Join(bob)
	return r
}

// changedTo returns the clients for which an entity changed since the last call.
func changedTo(r *interest.Relevance, entity int) (rows []int) {
	for row := r.ChangedClients().Next(0); row >= 0; row = r.ChangedClients().Next(row + 1) {
		if r.Changed(row).Has(entity) {
			rows = append(rows, row)
		}
	}
	r.ClearChanges()
	return rows
}

// Proves: V5, V6
func TestARoomShowsItsEntitiesToItsClients(t *testing.T) {
	r := joined()
	assert.True(t, r.AddEntity(red, tree))
	assert.False(t, r.AddEntity(red, tree), "it is there already")
	assert.False(t, r.Matters(alice, tree, false))
	assert.Empty(t, changedTo(r, tree))

	assert.True(t, r.AddClient(red, alice))
	assert.False(t, r.AddClient(red, alice), "she is there already")
	assert.True(t, r.Matters(alice, tree, false))
	assert.False(t, r.Matters(bob, tree, false))
	assert.Equal(t, []interest.Move{{Room: red, Client: alice}}, r.Moves())
	assert.Equal(t, []int{alice}, changedTo(r, tree))

	assert.True(t, r.AddEntity(red, wolf))
	assert.Equal(t, []int{alice}, changedTo(r, wolf))
	assert.True(t, r.RemoveEntity(red, wolf))
	assert.False(t, r.RemoveEntity(red, wolf), "it is gone already")
	assert.False(t, r.Matters(alice, wolf, false))
	assert.Equal(t, []int{alice}, changedTo(r, wolf))

	assert.True(t, r.RemoveClient(red, alice))
	assert.False(t, r.RemoveClient(red, alice), "she is gone already")
	assert.False(t, r.Matters(alice, tree, false))
	assert.Equal(t, []int{alice}, changedTo(r, tree))
}

// However a client and an entity move from one shared room to another, in the end the entity is
// relevant to the client as before.
//
// Proves: V7, V8, V9
func TestMovesBetweenRoomsEndAsTheyBegan(t *testing.T) {
	moves := map[string]struct {
		clientIn, entityIn []uint32
		do                 func(r *interest.Relevance)
	}{
		"both, the client first": {[]uint32{red}, []uint32{red}, func(r *interest.Relevance) {
			r.RemoveClient(red, alice)
			r.AddClient(blue, alice)
			r.RemoveEntity(red, tree)
			r.AddEntity(blue, tree)
		}},
		"the entity, while the client is in both": {[]uint32{red, blue}, []uint32{red}, func(r *interest.Relevance) {
			r.RemoveEntity(red, tree)
			r.AddEntity(blue, tree)
		}},
		"the client, while the entity is in both": {[]uint32{red}, []uint32{red, blue}, func(r *interest.Relevance) {
			r.RemoveClient(red, alice)
			r.AddClient(blue, alice)
		}},
	}
	for name, m := range moves {
		t.Run(name, func(t *testing.T) {
			r := joined()
			for _, room := range m.clientIn {
				r.AddClient(room, alice)
			}
			for _, room := range m.entityIn {
				r.AddEntity(room, tree)
			}
			r.ClearChanges()
			require.True(t, r.Matters(alice, tree, false))
			m.do(r)
			assert.True(t, r.Matters(alice, tree, false))
			assert.False(t, r.Matters(bob, tree, false))
		})
	}
}

// Proves: V10
func TestNothingIsLeftOfARoomThatBothLeft(t *testing.T) {
	r := joined()
	r.AddClient(red, alice)
	r.AddEntity(red, tree)
	r.ClearChanges()
	r.RemoveClient(red, alice)
	r.RemoveEntity(red, tree)
	assert.False(t, r.Matters(alice, tree, false))
	assert.Equal(t, []int{alice}, changedTo(r, tree))
	r.AddClient(red, bob)
	assert.False(t, r.Matters(bob, tree, false), "the room of that number is a new one")
}

// Proves: V14
func TestTheFirstApplicableRuleDecides(t *testing.T) {
	r := joined()
	grid := r.AddSource()
	r.See(grid, alice, set.Bitset{1 << tree})
	r.AddClient(red, alice)
	r.AddEntity(red, tree)
	r.Set(alice, tree, interest.Hidden)
	assert.False(t, r.Matters(alice, tree, true), "not even to its owner")
	r.Set(alice, tree, interest.Unset)
	assert.True(t, r.Matters(alice, tree, false))
	r.See(grid, alice, nil)
	assert.True(t, r.Matters(alice, tree, false), "they are in a room together")
	r.RemoveEntity(red, tree)
	assert.False(t, r.Matters(alice, tree, false))
	assert.True(t, r.Matters(alice, tree, true), "she owns it")
	r.Set(alice, tree, interest.Shown)
	assert.True(t, r.Matters(alice, tree, false))
	assert.Equal(t, interest.Shown, r.Setting(alice, tree))
}

// Proves: V14
func TestNewRowsInheritNothing(t *testing.T) {
	r := joined()
	grid := r.AddSource()
	all := func() {
		r.AddClient(red, alice)
		r.AddEntity(red, tree)
		r.AddEntity(red, wolf)
		r.Set(alice, tree, interest.Shown)
		r.Set(alice, wolf, interest.Hidden)
		r.See(grid, alice, set.Bitset{1 << tree, 1 << (wolf - 64)})
	}
	all()
	r.Leave(alice)
	assert.True(t, r.ChangedClients().Empty(), "a former client has no changes")
	r.Join(alice)
	for _, entity := range []int{tree, wolf} {
		assert.False(t, r.Matters(alice, entity, false))
		assert.True(t, r.Matters(alice, entity, true))
	}

	all()
	r.End(tree)
	r.End(wolf)
	for _, entity := range []int{tree, wolf} {
		assert.False(t, r.Matters(alice, entity, false))
		assert.True(t, r.Matters(alice, entity, true))
		assert.Equal(t, interest.Unset, r.Setting(alice, entity))
	}
	r.ClearChanges()
	r.See(grid, alice, set.Bitset{1 << tree})
	assert.Equal(t, []int{alice}, changedTo(r, tree), "another entity becomes visible in the same row")
	assert.True(t, r.InRoom(red, alice))
}

func TestNothingIsKeptBeforeJoin(t *testing.T) {
	r := interest.New()
	grid := r.AddSource()
	r.AddEntity(red, tree)
	assert.False(t, r.AddClient(red, alice))
	r.Set(alice, tree, interest.Shown)
	r.See(grid, alice, set.Bitset{1 << tree})
	r.Leave(alice)
	assert.False(t, r.Matters(alice, tree, true))
	assert.Equal(t, interest.Unset, r.Setting(alice, tree))
	assert.Nil(t, r.Changed(alice))
	assert.Zero(t, r.Refused())
	r.Join(alice)
	assert.False(t, r.Matters(alice, tree, false))
}

// An entity in a thousand rooms works like one in a single room.
func TestAnEntityInAThousandRooms(t *testing.T) {
	r := joined()
	for room := range uint32(1000) {
		require.True(t, r.AddEntity(room, tree))
		require.Equal(t, room%2 == 0, r.AddClient(room&^1, alice))
	}
	for room := range uint32(1000) {
		assert.True(t, r.Matters(alice, tree, false))
		require.True(t, r.RemoveEntity(999-room, tree))
	}
	assert.False(t, r.Matters(alice, tree, false))
	r.AddEntity(500, tree)
	assert.True(t, r.Matters(alice, tree, false))
	assert.False(t, r.Matters(bob, tree, false))
}

// The number of rooms in use has a limit, and refused memberships are counted. Once a room has no
// members, another one can be used.
func TestRoomsHaveALimit(t *testing.T) {
	r := joined()
	for room := range uint32(interest.MaxRooms) {
		require.True(t, r.AddEntity(room, tree))
	}
	assert.False(t, r.AddEntity(interest.MaxRooms, wolf))
	assert.False(t, r.AddClient(interest.MaxRooms, alice))
	assert.Equal(t, uint64(2), r.Refused())
	assert.True(t, r.AddEntity(5, wolf), "existing rooms accept members")
	assert.True(t, r.RemoveEntity(9, tree))
	assert.True(t, r.AddClient(interest.MaxRooms, alice))
	r.End(tree)
	assert.True(t, r.AddEntity(interest.MaxRooms, tree))
	assert.True(t, r.Matters(alice, tree, false))
	assert.Equal(t, uint64(2), r.Refused())
}

func TestSteadyChangesAllocateNothing(t *testing.T) {
	r := joined()
	grid := r.AddSource()
	here, there := set.Bitset{5: 1 << 9}, set.Bitset{2: 1 << 9, 5: 1}
	n := uint32(0)
	tick := func() {
		for room := n; room < n+50; room++ { // always different numbers
			for entity := range 20 {
				r.AddEntity(room*7919, entity+int(room%16))
			}
			r.AddClient(room*7919, int(room&1))
			r.Set(alice, int(room%64), interest.Setting(room%3))
		}
		r.See(grid, bob, here)
		here, there = there, here
		r.ClearChanges()
		r.Leave(bob)
		r.Join(bob)
		for entity := range 40 {
			r.End(entity)
		}
		for room := n; room < n+50; room++ {
			r.RemoveClient(room*7919, alice)
		}
		r.ClearChanges()
		n += 50
	}
	for range 20 {
		tick()
	}
	assert.Zero(t, alloctest.Count(100, tick))
}
