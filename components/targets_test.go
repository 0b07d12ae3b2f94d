package components_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
)

// A set contains the clients of the list from which it was made.
func TestTargetsContainWhatTheyWereMadeOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var targets components.Targets
		id := rapid.Map(rapid.Uint64Range(0, 9), func(n uint64) entangle.ClientID { return entangle.ClientID(n) })
		for range rapid.IntRange(1, 20).Draw(t, "sets") {
			ids := rapid.SliceOf(id).Draw(t, "ids")
			kept := slices.Clone(ids)
			only, except := targets.Only(ids...), targets.Except(ids...)
			for c := range entangle.ClientID(10) {
				in := slices.Contains(kept, c)
				if targets.Contains(only, c) != in || targets.Contains(except, c) == in {
					t.Fatalf("client %d of %v", c, kept)
				}
			}
			if !slices.Equal(kept, ids) {
				t.Fatalf("the caller's slice was changed: %v, was %v", ids, kept)
			}
		}
	})
}

func TestConstantTargets(t *testing.T) {
	var targets components.Targets
	for target, want := range map[components.Target]bool{
		components.Default: true, components.Everyone: true,
		components.Nobody: false, components.Server: false,
		components.Target(77): false, components.Target(1 << 30): false,
	} {
		assert.Equal(t, want, targets.Contains(target, 3), "%v", target)
	}
	assert.Equal(t, components.Nobody, targets.Only())
	assert.Equal(t, components.Everyone, targets.Except())
	assert.Equal(t, "Default Everyone Nobody Server Target(9) Set(1.0)",
		fmt.Sprint(components.Default, components.Everyone, components.Nobody, components.Server,
			components.Target(9), targets.Only(1)))
}

func TestEqualSetsAreOneTarget(t *testing.T) {
	var targets components.Targets
	a := targets.Only(3, 1, 2, 3)
	assert.Equal(t, a, targets.Only(1, 2, 3))
	assert.NotEqual(t, a, targets.Except(1, 2, 3))
	assert.NotEqual(t, a, targets.Only(1, 2))
}

func TestFullTargetsGiveUpTheLongestUnused(t *testing.T) {
	var targets components.Targets
	client := func(i int) entangle.ClientID { return entangle.ClientID(i + 1) }
	made := make([]components.Target, components.MaxSets)
	for i := range made {
		made[i] = targets.Only(client(i))
	}
	assert.True(t, targets.Contains(made[0], client(0)), "used, so no longer the oldest")

	more := targets.Only(client(components.MaxSets))
	assert.True(t, targets.Contains(more, client(components.MaxSets)))
	assert.True(t, targets.Contains(made[0], client(0)))
	assert.False(t, targets.Contains(made[1], client(1)), "given up")
	assert.False(t, targets.Contains(made[1], client(components.MaxSets)), "not confused with its successor")

	again := targets.Only(client(1))
	assert.NotEqual(t, made[1], again)
	assert.True(t, targets.Contains(again, client(1)))
	assert.False(t, targets.Contains(made[2], client(2)))
}

func TestTargetsAllocateNothingForAKnownSet(t *testing.T) {
	var targets components.Targets
	hits := 0
	use := func() {
		if targets.Contains(targets.Only(4, 2, 9), 9) && !targets.Contains(targets.Except(7), 7) {
			hits++
		}
	}
	use()
	assert.Zero(t, alloctest.Count(100, use))
	assert.GreaterOrEqual(t, hits, 102)
}

// A held set is never dropped, however long ago it was used; of the other sets, the one that was
// unused for the longest time is dropped first.
func TestHeldTargetsAreKept(t *testing.T) {
	var targets components.Targets
	client := func(i int) entangle.ClientID { return entangle.ClientID(i + 1) }
	made := make([]components.Target, components.MaxSets)
	for i := range made {
		made[i] = targets.Only(client(i))
	}
	targets.HeldBy(func(hold func(components.Target)) {
		hold(components.Everyone)
		for i, target := range made {
			if i%2 == 0 {
				hold(target)
			}
		}
	})
	for i := range components.MaxSets / 2 {
		targets.Only(client(components.MaxSets + i))
	}
	for i, target := range made {
		assert.Equal(t, i%2 == 0, targets.Contains(target, client(i)), "%d", i)
	}
	assert.Zero(t, targets.Refused())
}

// If all sets are held, no other can be made: its target is Nobody, and the refusal is counted.
// Once a set is no longer held, it can be made.
func TestTargetsThatAreAllHeld(t *testing.T) {
	var targets components.Targets
	held := make([]components.Target, components.MaxSets)
	for i := range held {
		held[i] = targets.Except(entangle.ClientID(i + 1))
	}
	targets.HeldBy(func(hold func(components.Target)) {
		for _, target := range held {
			hold(target)
		}
	})
	assert.Equal(t, components.Nobody, targets.Only(1))
	assert.Equal(t, components.Nobody, targets.Except(1, 2), "no client rather than too many")
	assert.EqualValues(t, 2, targets.Refused())
	assert.Equal(t, held[7], targets.Except(8), "one that is there")
	held = held[1:]
	assert.True(t, targets.Contains(targets.Only(1), 1))
	assert.EqualValues(t, 2, targets.Refused())
}

// A dropped set cannot be held by its old target.
func TestADroppedSetCannotBeHeld(t *testing.T) {
	var targets components.Targets
	first := targets.Only(1)
	for i := range components.MaxSets {
		targets.Only(entangle.ClientID(i + 2))
	}
	assert.False(t, targets.Contains(first, 1))
	targets.HeldBy(func(hold func(components.Target)) { hold(first); hold(components.Target(1 << 31)) })
	for i := range components.MaxSets {
		targets.Only(entangle.ClientID(i + 2 + components.MaxSets))
	}
	assert.Zero(t, targets.Refused())
}

// A room is a target without a list of clients: it is never dropped, and sets never use its number.
func TestARoomIsATarget(t *testing.T) {
	var targets components.Targets
	seven, last := targets.Room(7), targets.Room(1<<31-1)
	assert.Equal(t, "Room(7) Room(2147483647)", fmt.Sprint(seven, last))
	assert.False(t, targets.Contains(seven, 3), "there are no rooms here")
	targets.AskRooms(func(room components.Room, client entangle.ClientID) bool { return room == 7 && client == 3 })
	assert.True(t, targets.Contains(seven, 3))
	assert.False(t, targets.Contains(seven, 4))
	assert.False(t, targets.Contains(last, 3))
	clients, except := targets.Clients(seven)
	assert.Empty(t, clients)
	assert.False(t, except)

	room, ok := seven.Room()
	assert.True(t, ok)
	assert.Equal(t, components.Room(7), room)
	for _, other := range []components.Target{components.Default, components.Everyone, components.Owner, targets.Only(1), targets.Except(1)} {
		_, ok = other.Room()
		assert.False(t, ok, "%v", other)
	}
	for i := range 3 * components.MaxSets {
		targets.Only(entangle.ClientID(i + 10))
	}
	assert.True(t, targets.Contains(seven, 3), "rooms are not dropped")
}

func TestInvalidRoomsPanic(t *testing.T) {
	var targets components.Targets
	assert.PanicsWithValue(t, "components: 0 is no room; number rooms from 1 to 2147483647", func() { targets.Room(0) })
	assert.PanicsWithValue(t, "components: 2147483648 is no room; number rooms from 1 to 2147483647", func() { targets.Room(1 << 31) })
}
