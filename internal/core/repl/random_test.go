package repl_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// TestRandomWorldsStayInStep drives random worlds over bad links. At every tick
// each group that a peer shows is the sender's at one tick, and when changes and
// loss stop, all worlds are equal.
func TestRandomWorldsStayInStep(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Log(seedLine("TestRandomWorldsStayInStep", seed))
				}
			}()
			randomWorld(t, seed)
		})
	}
}

func randomWorld(t *testing.T, seed uint64) {
	comps := []int{3, 12, 13, 20}[seed%4]
	start := []entangle.Tick{0, 7, math.MaxUint32 - 100}[seed%3]
	n := newNetwork(t, seed, comps, start)
	n.loss = []float64{0, 0.05, 0.2, 0.5}[seed/4%4]
	n.delay = []int{0, 3, 12}[seed/16%3]
	n.join()
	for i := range 200 {
		if i == 60 || i == 120 {
			n.join()
		}
		if i == 150 {
			n.leave(1)
		}
		n.step(func() { n.randomChange() })
	}
	n.loss = 0
	n.settle()
	for _, e := range n.peers {
		n.requireEqual(e)
		if !e.peer.Idle() {
			t.Error("nothing changes, and something is still to be sent or acknowledged")
		}
	}
}

func (n *network) randomChange() {
	if len(n.model.entities) < 40 && n.rng.IntN(3) == 0 {
		n.spawn()
	}
	for slot := range repl.Slot(64) {
		e, ok := n.model.entities[slot]
		if !ok {
			continue
		}
		switch n.rng.IntN(40) {
		case 0:
			n.despawn(slot)
		case 1, 2, 3:
			n.reshape(slot, e)
		case 4, 5, 6, 7, 8, 9, 10, 11, 12:
			n.write(slot, e)
		}
	}
}

// spawn takes the lowest free slot, so that slots and handles are reused.
func (n *network) spawn() {
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
	n.model.entities[slot] = e
	n.world.Spawn(slot, e.mask)
}

func (n *network) fill(e *entity, comp int) {
	e.mask.Set(comp)
	if width(comp) > 0 {
		e.values[comp] = n.rng.Uint32()
	}
}

func (n *network) despawn(slot repl.Slot) {
	delete(n.model.entities, slot)
	n.world.Despawn(slot)
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
			e.values[c] = n.rng.Uint32()
			n.world.Change(c, []repl.Slot{slot})
		}
	}
	n.model.entities[slot] = e
}
