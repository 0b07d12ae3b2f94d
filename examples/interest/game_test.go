package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/entangle-ecs/entangle/examples/internal/smooth"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var firstSeed = flag.Uint64("seed", 1, "the first seed of the plays")

var seeds = flag.Uint64("seeds", 3, "how many of them")

// forSeeds runs a test with several seeds, and prints the command that repeats one of them.
func forSeeds(t *testing.T, test func(t *testing.T, seed uint64)) {
	name, n := t.Name(), *seeds
	if testing.Short() {
		n = 1
	}
	for seed := *firstSeed; seed < *firstSeed+n; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Logf("again: go test ./interest -run %s -seed %d -seeds 1", name, seed)
			test(t, seed)
		})
	}
}

// flags returns settings that are parsed like the program's.
func flags(t *testing.T, args ...string) settings {
	s, err := example.Read(append([]string{"-headless"}, args...), t.Output())
	require.NoError(t, err)
	return s
}

// played returns the result of a play to the end.
func played(t *testing.T, s settings) result {
	r, err := playHeadless(t.Context(), s)
	require.NoError(t, err)
	return r
}

// Whatever the rules, a client never has a thing that is not visible to it, and never lacks one
// that is.
//
// Proves: X3
func TestClientsHoldExactlyTheVisibleThings(t *testing.T) {
	forSeeds(t, func(t *testing.T, seed uint64) {
		held := map[string]float64{}
		for _, args := range [][]string{
			{"-grid=true", "-rooms=true"},
			{"-grid=true", "-rooms=false"},
			{"-grid=false", "-rooms=true"},
			{"-loss", "0.2"},
		} {
			s := flags(t, args...)
			s.Seed = seed
			r := played(t, s)
			require.NoError(t, r.Verdict(), args)
			for _, c := range r.Clients {
				held[fmt.Sprint(args)] += c.Held / players
				assert.Less(t, c.Held, 0.7*float64(s.dots), "a client holds only things around it: %v", args)
			}
		}
		both := held["[-grid=true -rooms=true]"]
		assert.Greater(t, both, held["[-grid=true -rooms=false]"])
		assert.Greater(t, both, held["[-grid=false -rooms=true]"])
	})
}

// With neither grid nor rooms, a client has only its own player and the lanterns of its team.
//
// Proves: X3
func TestWithoutGridAndRoomsNothingMatters(t *testing.T) {
	r := played(t, flags(t, "-grid=false", "-rooms=false", "-seconds", "3"))
	require.NoError(t, r.Verdict())
	for _, c := range r.Clients {
		assert.InDelta(t, 2, c.Held, 0.1)
	}
}

// When grid and rooms are switched during the play, no client has things that are not visible to
// it.
//
// Proves: X3
func TestGridAndRoomsAreSwitchedInPlay(t *testing.T) {
	forSeeds(t, func(t *testing.T, seed uint64) {
		s := flags(t, "-latency", "20ms")
		s.Seed = seed
		p, err := newPlay(s)
		require.NoError(t, err)
		chance := rand.New(rand.NewPCG(seed, 1))
		for range 20 * tickRate {
			if chance.IntN(tickRate) == 0 {
				p.server.Grid = !p.server.Grid
			}
			if chance.IntN(tickRate) == 0 {
				p.server.Rooms = !p.server.Rooms
			}
			p.Frame()
		}
		require.NoError(t, p.result().Verdict())
	})
}

// The judge notices if things are sent to clients that must not see them.
func TestALeakIsNoticed(t *testing.T) {
	r := played(t, flags(t, "-leak", "-seconds", "3"))
	for _, c := range r.Clients {
		assert.Positive(t, c.Wrong)
		assert.ErrorContains(t, c.verdict(), fmt.Sprintf("client %d held a thing", c.Client))
	}
}

func TestTheSameSeedGivesTheSameRun(t *testing.T) {
	s := flags(t, "-seconds", "3", "-loss", "0.2")
	first := played(t, s)
	assert.Equal(t, first, played(t, s))
	s.Seed++
	assert.NotEqual(t, first.Clients, played(t, s).Clients)
}

// A client in another chamber receives less data than one that sees everything.
func TestHiddenThingsCostNothing(t *testing.T) {
	all := played(t, flags(t, "-leak", "-dots", "300", "-seconds", "5"))
	some := played(t, flags(t, "-rooms=false", "-dots", "300", "-seconds", "5"))
	for i := range all.Clients {
		assert.Less(t, some.Clients[i].BytesPerS, all.Clients[i].BytesPerS/2)
	}
}

func TestWhatTheVerdictFinds(t *testing.T) {
	for says, c := range map[string]report{
		"nothing has come to client 1":                    {Client: 1},
		"held a thing 3 times that did not matter to it":  {Held: 1, Wrong: 3},
		"held a thing for too long, in 2 frames":          {Held: 1, Late: 2},
		"did not hold a thing that matters to it, in 4 f": {Held: 1, Missing: 4},
	} {
		assert.ErrorContains(t, result{Clients: []report{{Held: 1}, c}}.Verdict(), says)
	}
	assert.NoError(t, result{Clients: []report{{Held: 1}}}.Verdict())
}

// Things walk through doors, and never through a wall.
func TestThingsDoNotWalkThroughWalls(t *testing.T) {
	p, err := newPlay(flags(t))
	require.NoError(t, err)
	before := map[name]Place{}
	view := newView(p.Worlds[0])
	crossed := 0
	for range 60 * tickRate {
		p.Frame()
		for _, thing := range view.things() {
			was, ok := before[thing.name()]
			before[thing.name()] = thing.Place
			if !ok || chamberAt(was) == chamberAt(thing.Place) {
				continue
			}
			crossed++
			x, y := chamberAt(thing.Place).corner()
			inDoor := near(thing.Place, Place{X: x, Y: y + chamberHeight/2}, 0.2) ||
				near(thing.Place, Place{X: x + chamberWidth/2, Y: y}, 0.2) ||
				near(thing.Place, Place{X: x + chamberWidth, Y: y + chamberHeight/2}, 0.2) ||
				near(thing.Place, Place{X: x + chamberWidth/2, Y: y + chamberHeight}, 0.2)
			require.True(t, inDoor, "%v came from %v", thing, was)
		}
	}
	assert.Positive(t, crossed)
}

// On a bad line, interpolated things move smoothly. Without interpolation they stutter.
func TestInterpolatedThingsMoveSmoothly(t *testing.T) {
	forSeeds(t, func(t *testing.T, seed uint64) {
		motion := func(args ...string) (all smooth.Counts) {
			s := flags(t, append(args, "-latency", "60ms", "-jitter", "15ms", "-loss", "0.05")...)
			s.Seed = seed
			r := played(t, s)
			require.NoError(t, r.Verdict())
			for _, c := range r.Clients {
				all.Frames += c.Motion.Frames
				all.Stood += c.Motion.Stood
				all.Jumped += c.Motion.Jumped
			}
			return all
		}
		on, off := motion(), motion("-interpolate=false")
		t.Log("interpolated:", on, "as they arrive:", off)
		assert.Less(t, on.Stood+on.Jumped, on.Frames/100)
		assert.Greater(t, off.Stood+off.Jumped, off.Frames/5)
	})
}
