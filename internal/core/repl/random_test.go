package repl_test

import (
	"flag"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
)

var (
	seeds    = flag.Uint64("seeds", 100, "how many random worlds to run")
	fromSeed = flag.Uint64("seed", 0, "the seed of the first random world")
)

// Random worlds over bad links: entities that come, go, gain and lose components,
// move between groups that all see and groups that some see, and refer to each other; peers that come, go, see and lose sight. At every tick each group that a peer
// has is the sender's at one tick, and when changes and loss stop, all worlds are
// equal.
//
// Proves: R20, R23, R24, R26, R28, R37, R41
func TestRandomWorldsStayInStep(t *testing.T) {
	for seed := *fromSeed; seed < *fromSeed+*seeds; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: go test ./internal/core/repl -run '^TestRandomWorldsStayInStep$' -seeds 1 -seed %d", seed)
				}
			}()
			n := randomNetwork(t, seed)
			n.live()
			n.end()
		})
	}
}

// What a peer is sent is the same bit by bit whether bodies and runs are shared or
// written anew for each.
func TestSharingChangesNoByte(t *testing.T) {
	for seed := range uint64(24) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			defer func() {
				if t.Failed() {
					t.Log(seedLine("TestSharingChangesNoByte", seed))
				}
			}()
			var all [3][][]byte
			for i := range all {
				n := randomNetwork(t, seed)
				n.keep = true
				switch i {
				case 1:
					n.world.Unshare()
				case 2:
					n.world.Unrun()
				}
				n.live()
				all[i] = n.sent
			}
			require.NotEmpty(t, all[0])
			assert.Equal(t, all[0], all[1], "bodies are shared or not")
			assert.Equal(t, all[0], all[2], "runs are copied or not")
		})
	}
}

func randomNetwork(t testing.TB, seed uint64) *network {
	comps := []int{3, 12, 13, 20}[seed%4]
	start := []entangle.Tick{0, 7, math.MaxUint32 - 100}[seed%3]
	n := newNetwork(t, seed, comps, start)
	n.model.links = seed%2 == 0
	n.loss = []float64{0, 0.05, 0.2, 0.5}[seed/4%4]
	n.delay = []int{0, 3, 12}[seed/16%3]
	return n
}

// live runs 200 ticks of a world that changes all the time.
func (n *network) live() {
	n.join()
	for i := range 200 {
		if i == 60 || i == 120 {
			n.join()
		}
		if i == 150 {
			n.leave(1)
		}
		n.step(n.randomChange)
	}
}

// end ends changes and loss, and expects equal worlds.
func (n *network) end() {
	n.loss = 0
	n.settle()
	for _, e := range n.peers {
		n.requireEqual(e)
		if !e.peer.Idle() {
			n.t.Error("nothing changes, and something is still to be sent or acknowledged")
		}
	}
}

func (n *network) randomChange() {
	for len(n.model.entities) < 40 && n.rng.IntN(3) == 0 {
		n.spawn()
	}
	for slot := range repl.Slot(64) {
		e, ok := n.model.entities[slot]
		if !ok {
			continue
		}
		switch n.rng.IntN(44) {
		case 0:
			n.despawn(slot)
		case 1, 2, 3:
			n.reshape(slot, e)
		case 4, 5, 6, 7, 8, 9, 10, 11, 12:
			n.write(slot, e)
		case 13, 14:
			n.move(slot)
		case 15:
			n.swap(slot)
		case 16:
			n.look(slot)
		}
	}
}

// place is the group of its own, one of three that all see, or one that some see.
func (n *network) place() sender.Place {
	return []sender.Place{{}, {Name: 1}, {Name: 2}, {Name: 3}, {Name: 4, Private: true}, {Private: true}}[n.rng.IntN(6)]
}

// spawn takes the lowest free slot, so that slots and handles are reused.
func (n *network) spawn() { n.spawnAt(n.place()) }

func (n *network) spawnAt(place sender.Place) {
	slot := repl.Slot(0)
	for _, taken := n.model.entities[slot]; taken; _, taken = n.model.entities[slot] {
		slot++
	}
	n.model.names++
	e := entity{mask: repl.MaskOf(0)}
	e.values[0] = uint32(slot) | n.model.names<<16
	for c := 1; c < n.model.comps; c++ {
		if n.rng.IntN(2) == 0 {
			n.fill(&e, c)
		}
	}
	n.model.entities[slot], n.model.places[slot] = e, place
	n.world.SpawnAt(slot, e.mask, n.model.places[slot])
	n.look(slot)
}

func (n *network) fill(e *entity, comp int) {
	e.mask.Set(comp)
	if width(comp) > 0 {
		e.values[comp] = n.value(comp)
	}
}

func (n *network) value(comp int) uint32 {
	if n.model.links && comp == linkComp {
		return uint32(n.rng.IntN(30))
	}
	return n.rng.Uint32()
}

func (n *network) despawn(slot repl.Slot) {
	delete(n.model.entities, slot)
	delete(n.model.places, slot)
	n.world.Despawn(slot)
}

// move takes an entity to another group.
func (n *network) move(slot repl.Slot) {
	n.model.places[slot] = n.place()
	n.world.Move(slot, n.model.places[slot])
}

// swap has two entities change places in one tick.
func (n *network) swap(slot repl.Slot) {
	for other := range repl.Slot(64) {
		at, there := n.model.places[other]
		if here := n.model.places[slot]; there && at != here && other%3 == slot%3 {
			n.model.places[slot], n.model.places[other] = at, here
			n.world.Move(slot, at)
			n.world.Move(other, here)
			return
		}
	}
}

// look shows the group of an entity to some peers, and hides it from others.
func (n *network) look(slot repl.Slot) {
	for _, e := range n.peers {
		if n.rng.IntN(2) == 0 {
			e.peer.Show(slot)
		} else {
			e.peer.Hide(slot)
		}
	}
}

func (n *network) reshape(slot repl.Slot, e entity) {
	c := 1 + n.rng.IntN(n.model.comps-1)
	if e.mask.Has(c) {
		e.mask.Clear(c)
		e.values[c] = 0
		n.world.Reshape(slot, repl.Mask{}, repl.MaskOf(c))
	} else {
		n.fill(&e, c)
		n.world.Reshape(slot, repl.MaskOf(c), repl.Mask{})
	}
	n.model.entities[slot] = e
}

func (n *network) write(slot repl.Slot, e entity) {
	for c := e.mask.Next(1); c >= 0; c = e.mask.Next(c + 1) {
		if width(c) > 0 && n.rng.IntN(2) == 0 {
			e.values[c] = n.value(c)
			n.world.Change(c, []repl.Slot{slot})
		}
	}
	n.model.entities[slot] = e
}
