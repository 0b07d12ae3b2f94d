package netsim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// rewindRates are the frame rates of the clients of one game.
var rewindRates = []int{30, 60, 90, 144, 240}

// The server knows exactly what the screen of a client showed, whatever its frame rate, on lines where the updates come
// just in time: with frames between two ticks, which send no packet, and with packets that overtake each other.
//
// Proves: L1
func TestRewoundAtAnyFrameRate(t *testing.T) {
	for _, jitter := range []int{0, 5, 15} { // milliseconds
		t.Run(fmt.Sprintf("jitter of %d ms", jitter), func(t *testing.T) {
			counts := make([][rewindKinds]rewindCounts, len(rewindRates))
			frames := make([][rewindKinds]rewindFrames, len(rewindRates))
			for seed := range uint64(2) {
				runRates(t, seed, time.Duration(jitter)*ms, counts, frames)
			}
			for i, rate := range rewindRates {
				for _, kind := range []int{evenly, rarely, bouncer, stopAndGo} {
					n, f := &counts[i][kind], &frames[i][kind]
					name := fmt.Sprintf("%d frames per second, %s", rate, rewindNames[kind])
					t.Logf("%s: %.2f %% differ, %.2f %% of the frames are starved; %+v", name, 100*n.inexact(), 100*f.share(), *n)
					assert.Zero(t, n.near+n.wrong+n.onlyDraw, name)
					assert.Positive(t, n.same, name)
					assert.Zero(t, n.onlyServer, name)
					if kind == evenly || kind == rarely {
						assert.LessOrEqual(t, f.share(), 0.005, name)
					}
				}
			}
		})
	}
}

// runRates lets clients of all rates play over equal lines.
func runRates(t *testing.T, seed uint64, jitter time.Duration, counts [][rewindKinds]rewindCounts, frames [][rewindKinds]rewindFrames) {
	line := netsim.Symmetric(conditioner.Config{Latency: 60 * ms, Jitter: jitter})
	var links []netsim.Link
	for range rewindRates {
		links = append(links, line)
	}
	g := newRewindGame(t, seed, 1, make([]int, len(links)), rewindRates, links)
	g.sim.Run(6 * time.Second)
	g.on = true
	g.sim.Run(20 * time.Second)
	for i := range rewindRates {
		g.compareClient(i, &counts[i])
		for kind := range frames[i] {
			frames[i][kind].all += g.clients[i].frames[kind].all
			frames[i][kind].starved += g.clients[i].frames[kind].starved
		}
	}
}

// While the server stands still, screens go on for half a second, and then their times stand still for as long. The
// server follows: no honest client's time counts as impossible, and nothing is in a view that was not on the screen.
// Only where a client's clock jumps back are there ticks of which it draws the screen twice.
//
// Proves: L1, L2, L4
func TestRewoundAfterTheServerStoodStill(t *testing.T) {
	g := newRewindGame(t, 0, 1, []int{0}, []int{60}, []netsim.Link{netsim.Symmetric(conditioner.Config{Latency: 60 * ms})})
	g.sim.Run(6 * time.Second)
	clamped := g.server.Stats().Inputs.SeenClamped
	g.on = true
	for range 3 {
		g.sim.FreezeServer(time.Second)
		g.sim.Run(7 * time.Second)
	}
	require.Greater(t, len(g.seen), 1000)
	assert.Equal(t, clamped, g.server.Stats().Inputs.SeenClamped)
	assert.Zero(t, g.server.Stats().Rewinds.Clamped)
	var counts [rewindKinds]rewindCounts
	g.compare(&counts)
	for kind, c := range counts {
		t.Logf("%s: %+v", rewindNames[kind], c)
		assert.Zero(t, c.onlyServer, rewindNames[kind])
		assert.LessOrEqual(t, c.inexact(), 0.06, rewindNames[kind])
	}
}
