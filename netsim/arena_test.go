package netsim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/netsim"
)

// arenas returns the range of random arenas to run: a tenth of the number in the flag seeds.
func arenas() (first, last uint64) {
	n := (*seeds + 9) / 10
	if testing.Short() {
		n = (n + 2) / 3
	}
	return *fromSeed, *fromSeed + n - 1
}

func repeatArena(test string, seed uint64) string {
	return fmt.Sprintf("go test ./netsim -count=1 -run '^%s$' -seeds 1 -seed %d", test, seed)
}

// The plain model equals the game: from the server's inputs and its random changes, it computes the
// same state as the server, tick by tick.
func TestThePlainModelEqualsTheServersArena(t *testing.T) {
	for first, last := arenas(); first <= last; first++ {
		a := newArena(t, randomArena(first))
		a.sim.Run(5 * time.Second)
		// The bodies of the first state have no shared ids yet. The next tick assigns them.
		for tick := a.truth.first + 2; !a.truth.last.Before(tick); tick++ {
			want := a.truth.states[tick-1].step(a.log.hands[tick], a.truth.acts[tick])
			require.Equal(t, want, a.truth.states[tick], "%v: tick %d", a.arenaSetup, tick)
		}
	}
}

// This test plays random games on bad lines. After every frame, a client's predicted state equals
// the result of the plain model, computed from the confirmed state and from all inputs that the
// client has. The client rolls back exactly on mispredictions, and mispredicts only ticks for which
// it lacked information. Client-only state is rolled back too: trails of positions, and children
// that are added and removed. Once players stop, the predicted state equals the server's. The server looks at what
// players saw: what their screens showed, and nothing that was not there.
//
// Proves: B1, B2, B7, B8, B16, B17, B21, B25, B27
// Proves: N1, N2, N10, E1, T4, T7, L1, L2, L4
func TestRandomArenas(t *testing.T) {
	var sums arenaSums
	var shown arenaShownSums
	var shots arenaShotSums
	var views arenaViewSums
	first, last := arenas()
	for seed := first; seed <= last; seed++ {
		err := netsim.Try(t.Name(), func(t *netsim.Trial) {
			a := newArena(t, randomArena(seed))
			a.play(10 * time.Second)
			if a.views != nil {
				views.add(a.views.finish())
			}
			for _, g := range a.guests {
				sums.addSums(g.oracle.sums)
				if g.interpolated != nil {
					shown.add(&g.interpolated.sums)
				}
				if g.shots != nil {
					shots.add(&g.shots.sums)
				}
			}
		})
		if err != nil {
			t.Fatalf("%v\nrepeat with: %s", err, repeatArena(t.Name(), seed))
		}
	}
	t.Logf("%+v, %+v", sums, views)
	if last-first+1 >= enoughArenas {
		shown.requireAll(t)
		shots.requireAll(t)
		views.requireAll(t)
	}
	assert.Positive(t, sums.trails, "what is a client's own was never looked at")
	assert.Positive(t, sums.spanned, "no rollback spanned a structural change of a component of the mode Once")
}

// enoughArenas is the number of arenas in which everything must occur.
const enoughArenas = 12

// If state of the confirmed tick is overtaken by state of a later tick in the same frame, the
// client keeps its predicted state at the confirmed tick, and its client-only state. Both are
// correct from the later tick on.
func TestAStateOvertakenInItsFrame(t *testing.T) {
	setup := randomArena(36)
	setup.rewinds, setup.carried, setup.late, setup.stalls, setup.every, setup.frames = false, false, false, false, 0, nil
	a := newArena(t, setup)
	a.play(10 * time.Second)
	var sums arenaSums
	for _, g := range a.guests {
		sums.addSums(g.oracle.sums)
	}
	assert.Positive(t, sums.later, "%+v", sums)
}

// play runs a game to its end.
func (a *arena) play(d time.Duration) {
	if a.late {
		a.sim.Run(d / 5)
		a.join(entangle.ClientID(a.clients))
	}
	if a.stalls {
		a.sim.Run(d / 2)
		a.sim.FreezeServer(time.Duration(100+a.seed%5*150) * ms)
		a.sim.Run(d / 5)
		a.guests[0].Freeze(time.Duration(100+a.seed%3*100) * ms)
	}
	a.sim.Run(d)
	a.quiesce()
	a.expectEqual(2 * time.Second)
}

func (s *arenaSums) addSums(o arenaSums) {
	s.ticks, s.frames, s.exact = s.ticks+o.ticks, s.frames+o.frames, s.exact+o.exact
	s.mismatches, s.lacks, s.inputs = s.mismatches+o.mismatches, s.lacks+o.lacks, s.inputs+o.inputs
	s.rollbacks, s.trails, s.spanned = s.rollbacks+o.rollbacks, s.trails+o.trails, s.spanned+o.spanned
	s.later += o.later
}

// A client rolls back only for inputs that the server lacked, once per confirmed tick in which one
// was lacking. If its inputs arrive in time, it never rolls back, over 10,000 ticks. The same is
// true if it predicts other players and has their inputs in their tick.
//
// Proves: B1, I12
func TestAClientRollsBackForInputsThatTheServerLacked(t *testing.T) {
	alone := arenaSetup{seed: 4, rate: 60, clients: 4, teams: 4}
	crowd := arenaSetup{seed: 4, rate: 60, clients: 4, teams: 1, bodies: 6, all: true, delay: 9}
	for name, c := range map[string]struct {
		setup arenaSetup
		never bool
	}{
		"a long line":         {alone.on(150*ms, 0, 0), true},
		"a bad line":          {alone.on(150*ms, 30*ms, 0.3), false},
		"others, and a delay": {crowd.on(50*ms, 0, 0), true},
	} {
		t.Run(name, func(t *testing.T) {
			a := newArena(t, c.setup)
			a.sim.Run(5 * time.Second) // until the clocks are synchronised
			for _, g := range a.guests {
				g.oracle.sums = arenaSums{}
			}
			a.sim.Run(42 * time.Second)
			var sums arenaSums
			for _, g := range a.guests {
				sums.addSums(g.oracle.sums)
			}
			require.GreaterOrEqual(t, sums.ticks, 10_000)
			require.EqualValues(t, sums.lacks, sums.rollbacks, "%+v", sums)
			require.Equal(t, c.never, sums.lacks == 0, "%+v", sums)
		})
	}
}

// on returns the same setup on a line with other properties.
func (s arenaSetup) on(latency, jitter time.Duration, loss float64) arenaSetup {
	s.latency, s.jitter, s.loss = latency, jitter, loss
	return s
}

// A client that rolls back to every confirmed tick always has the same state as one that rolls back
// only on mispredictions, and rolls back at least as often.
func TestAClientThatAlwaysRollsBackHasTheSameState(t *testing.T) {
	for seed, last := arenas(); seed <= min(last, *fromSeed+2); seed++ {
		var rollbacks [2]uint64
		var ends [2][]arenaState
		for dumb := range 2 {
			setup := randomArena(seed)
			setup.dumb = dumb == 1
			a := newArena(t, setup)
			a.play(6 * time.Second)
			for _, g := range a.guests {
				rollbacks[dumb] += countRollbacks(g.Client().Stats().Rollbacks)
				ends[dumb] = append(ends[dumb], g.shown[g.Client().Tick()])
			}
		}
		require.Equal(t, ends[0], ends[1], "seed %d", seed)
		require.LessOrEqual(t, rollbacks[0], rollbacks[1], "seed %d", seed)
	}
}

// After its clock has jumped back, a client runs ticks a second time, and their inputs have fired already: none of its
// shots is there twice.
func TestATickThatRunsAgainFiresNothingTwice(t *testing.T) {
	jumps := 0
	for seed := range uint64(4) {
		a := newArena(t, arenaSetup{seed: seed, rate: 30, clients: 2, teams: 1, all: true, armed: true, latency: 60 * ms, jitter: 10 * ms})
		a.sim.Run(3 * time.Second)
		a.sim.FreezeServer(600 * ms)
		a.sim.Run(2 * time.Second)
		for _, g := range a.guests {
			jumps += int(g.Client().Stats().Clock.Jumps)
		}
	}
	assert.Greater(t, jumps, 8, "no clock jumped in the game")
}
