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
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

var (
	seeds    = flag.Uint64("seeds", 100, "how many random worlds to run")
	fromSeed = flag.Uint64("seed", 0, "the seed of the first random world")
)

// some returns how many of n seeds are run: with -short a fifth.
func some(n uint64) uint64 {
	if testing.Short() {
		return (n + 4) / 5
	}
	return n
}

// Random worlds run over bad links. Entities are spawned and despawned, gain and lose components,
// move between public and private groups, refer to each other, and are paused and orphaned. Peers
// join and leave, gain and lose sight of groups and of parts of them, and predict some entities. A peer
// keeps some entities in the groups of one that they left for a group that is not shown to it. A peer knows which entities it predicts, and when a tick is confirmed it has them as they were in
// that tick. Acknowledgements may leave out, until later, some of what had arrived. At every tick each group that a peer has equals the sender's group at one tick, as far
// as the peer may see it. An entity that a peer sees all the time is spawned there once, whatever
// group it moves to. When changes and packet loss end, all worlds are equal.
//
// Proves: B25, R20, R23, R24, R26, R28, R30, R37, R41, V4
func TestRandomWorldsStayInStep(t *testing.T) {
	var rare reaching
	t.Cleanup(func() { rare.check(t, some(*seeds)) })
	for seed := *fromSeed; seed < *fromSeed+some(*seeds); seed++ {
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
			rare.end(n)
		})
	}
}

// A peer is sent the same bits whether bodies and runs are shared by peers or written for each.
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
			var ends [3][]map[uint32]entity
			for i := range all {
				n := randomNetwork(t, seed)
				n.keep, n.trusts = true, i > 0
				switch i {
				case 1:
					n.world.Unshare()
				case 2:
					n.world.Unrun()
				}
				n.live()
				n.end()
				all[i] = n.sent
				for _, e := range n.peers {
					ends[i] = append(ends[i], e.sink.byName())
				}
			}
			require.NotEmpty(t, all[0])
			assert.Equal(t, all[0], all[1], "bodies are shared or not")
			assert.Equal(t, all[0], all[2], "runs are copied or not")
			assert.Equal(t, ends[0], ends[1])
			assert.Equal(t, ends[0], ends[2])
		})
	}
}

func randomNetwork(t testing.TB, seed uint64) *network {
	comps := []int{3, 12, 13, 20}[seed%4]
	start := []entangle.Tick{0, 7, math.MaxUint32 - 100}[seed%3]
	n := newNetwork(t, seed, comps, start)
	if seed%7 < 3 {
		n.differ()
		n.withholds = seed%11 < 6
	}
	n.model.links, n.messages = seed%2 == 0, seed%3 != 2
	n.bursts = seed%9 < 4
	n.loss = []float64{0, 0.05, 0.2, 0.5}[seed/4%4]
	n.delay = []int{0, 3, 12}[seed/16%3]
	n.tight = seed%5 == 0
	n.skips = []entangle.Tick{0, 0, 2, 5}[seed/2%4]
	if seed%6 == 1 {
		n.room = func() int { return 1 + n.rng.IntN(60) }
		n.jams = func() bool { return n.rng.IntN(4) == 0 }
	}
	if seed%3 == 1 {
		most := []int{40, 150, 600}[seed/3%3]
		n.limit = func(e *end) int { return e.rng.IntN(2*most) - 10 }
	}
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

// end ends changes and packet loss, and requires equal worlds.
func (n *network) end() {
	n.loss, n.tight, n.limit, n.jams = 0, false, nil, nil
	n.step(n.resumeAll)
	n.settle()
	n.requireAllEqual()
	n.step(n.showRetained)
	n.settle()
	n.requireAllEqual()
}

// burst despawns many entities, or spawns many that are alike and each in a group of its own.
func (n *network) burst() {
	first := repl.Slot(n.rng.IntN(64))
	if n.rng.IntN(2) == 0 {
		for slot := first; slot < min(first+32, 64); slot++ {
			if _, lives := n.model.entities[slot]; lives {
				n.despawn(slot)
			}
		}
		return
	}
	like := entity{mask: set.MaskOf(0)}
	for c := 1; c < n.model.comps; c++ {
		if n.rng.IntN(3) == 0 {
			n.fill(&like, c)
		}
	}
	for slot := first; slot < 64; slot++ {
		if _, lives := n.model.entities[slot]; lives {
			continue
		}
		n.model.names++
		like.values[0] = uint32(slot) | n.model.names<<16
		n.put(slot, like, group.Place{})
		if n.rng.IntN(8) == 0 {
			n.look(slot)
		}
	}
}

func (n *network) requireAllEqual() {
	for _, e := range n.peers {
		n.requireEqual(e)
		if !e.peer.Idle() {
			n.t.Error("nothing changes, and something is still to be sent or acknowledged")
		}
		if !n.trusts {
			n.requireSettled(e)
		}
	}
}

func (n *network) randomChange() {
	if n.bursts && n.rng.IntN(8) == 0 {
		n.burst()
	}
	for len(n.model.entities) < 40 && n.rng.IntN(3) == 0 {
		n.spawn()
	}
	for slot := range repl.Slot(64) {
		e, ok := n.model.entities[slot]
		if !ok {
			continue
		}
		switch n.rng.IntN(58) {
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
		case 17, 18:
			n.changeView(slot)
		case 19:
			n.pause(slot)
		case 20, 21:
			n.resume(slot)
		case 22, 23:
			n.predict(slot)
		case 24:
			if n.rng.IntN(4) == 0 {
				n.abandon(slot)
			}
		case 25, 26:
			n.rate(slot)
		case 27:
			n.retainSome(n.peers[n.rng.IntN(len(n.peers))], slot)
		}
	}
}
