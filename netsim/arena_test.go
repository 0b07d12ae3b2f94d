package netsim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/netsim"
)

// arenas says which arenas of chance are run: a tenth as many as the flag seeds says.
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

// The plain model is the game: with the inputs that the server had, and what it did beside
// the rules, it computes what the server computed, tick by tick.
func TestThePlainModelIsTheServersArena(t *testing.T) {
	for first, last := arenas(); first <= last; first++ {
		a := newArena(t, randomArena(first))
		a.sim.Run(5 * time.Second)
		// The bodies of the first state have no shared ids yet: the tick after it gives them.
		for tick := a.truth.first + 2; !a.truth.last.Before(tick); tick++ {
			want := a.truth.states[tick-1].step(a.log.hands[tick], a.truth.acts[tick])
			require.Equal(t, want, a.truth.states[tick], "%v: tick %d", a.arenaSetup, tick)
		}
	}
}

// Random games on bad lines: after every frame what a client predicts is what a plain model
// makes of what the server last confirmed and of the inputs that the client has; it was
// computed with all inputs that are known; the client goes back where it was wrong and
// nowhere else; and wrong it is only about ticks of which it did not know all. What is its own
// goes back with the rest: trails of where bodies were, and children that come and go. Once players
// do nothing any more, what is predicted is what the server then has.
//
// Proves: B1, B2, B7, B8, B16, B17, B21, B25, B27
func TestRandomArenas(t *testing.T) {
	var sums arenaSums
	for seed, last := arenas(); seed <= last; seed++ {
		err := netsim.Try(t.Name(), func(t *netsim.Trial) {
			a := newArena(t, randomArena(seed))
			a.play(10 * time.Second)
			for _, g := range a.guests {
				sums.add(g.oracle.sums)
			}
		})
		if err != nil {
			t.Fatalf("%v\nrepeat with: %s", err, repeatArena(t.Name(), seed))
		}
	}
	t.Logf("%+v", sums)
	assert.Positive(t, sums.trails, "what is a client's own was never looked at")
	assert.Positive(t, sums.spanned, "no rollback spanned a structural change of a component of the mode Once")
}

// Where a word of the settled tick is overtaken by one of a later tick in the same frame, what
// was predicted at the settled tick stays, and with it what the client has of its own; it is
// right from the later tick on.
func TestAWordThatIsOvertakenInItsFrame(t *testing.T) {
	a := newArena(t, randomArena(11))
	a.play(10 * time.Second)
	var sums arenaSums
	for _, g := range a.guests {
		sums.add(g.oracle.sums)
	}
	assert.Positive(t, sums.later, "%+v", sums)
}

// play runs a game to its end.
func (a *arena) play(d time.Duration) {
	a.sim.Run(d)
	a.settle()
	a.expectEqual(2 * time.Second)
}

func (s *arenaSums) add(o arenaSums) {
	s.ticks, s.frames, s.exact = s.ticks+o.ticks, s.frames+o.frames, s.exact+o.exact
	s.mismatches, s.lacks, s.inputs = s.mismatches+o.mismatches, s.lacks+o.lacks, s.inputs+o.inputs
	s.rollbacks, s.trails, s.spanned = s.rollbacks+o.rollbacks, s.trails+o.trails, s.spanned+o.spanned
	s.later += o.later
}

// A client goes back for what the server lacked of its inputs, and for nothing else: as often
// as something settles of which that is so. Where inputs arrive it never does, over 10,000
// ticks; nor where it predicts what others do, and their inputs are there in their tick.
//
// Proves: B1, I12
func TestAClientGoesBackForWhatTheServerLacked(t *testing.T) {
	alone := arenaSetup{seed: 4, rate: 60, clients: 4, teams: 4}
	crowd := arenaSetup{seed: 4, rate: 60, clients: 4, teams: 1, bodies: 6, all: true, delay: 9}
	for name, c := range map[string]struct {
		setup arenaSetup
		never bool
	}{
		"a long line":         {alone.on(150*ms, 0, 0), true},
		"a bad line":          {alone.on(150*ms, 30*ms, 0.2), false},
		"others, and a delay": {crowd.on(50*ms, 0, 0), true},
	} {
		t.Run(name, func(t *testing.T) {
			a := newArena(t, c.setup)
			a.sim.Run(5 * time.Second) // until the clocks are where they belong
			for _, g := range a.guests {
				g.oracle.sums = arenaSums{}
			}
			a.sim.Run(42 * time.Second)
			var sums arenaSums
			for _, g := range a.guests {
				sums.add(g.oracle.sums)
			}
			require.GreaterOrEqual(t, sums.ticks, 10_000)
			require.EqualValues(t, sums.lacks, sums.rollbacks, "%+v", sums)
			require.Equal(t, c.never, sums.lacks == 0, "%+v", sums)
		})
	}
}

// on returns the same game on another line.
func (s arenaSetup) on(latency, jitter time.Duration, loss float64) arenaSetup {
	s.latency, s.jitter, s.loss = latency, jitter, loss
	return s
}

// A client that goes back to every settled tick, whatever it holds, is never another than one
// that goes back where it was wrong, and goes back no less often.
func TestADumbClientGoesBackNoLessOften(t *testing.T) {
	for seed, last := arenas(); seed <= min(last, *fromSeed+2); seed++ {
		var rollbacks [2]uint64
		var ends [2][]arenaState
		for dumb := range 2 {
			setup := randomArena(seed)
			setup.dumb = dumb == 1
			a := newArena(t, setup)
			a.play(6 * time.Second)
			for _, g := range a.guests {
				rollbacks[dumb] += countRollbacks(g.Client().RollbackStats())
				ends[dumb] = append(ends[dumb], g.shown[g.Client().Tick()])
			}
		}
		require.Equal(t, ends[0], ends[1], "seed %d", seed)
		require.LessOrEqual(t, rollbacks[0], rollbacks[1], "seed %d", seed)
	}
}
