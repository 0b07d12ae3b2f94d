package netsim_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
)

var (
	seeds    = flag.Uint64("seeds", 120, "how many random worlds to run")
	fromSeed = flag.Uint64("seed", 1, "the seed of the first random world")
	shrink   = flag.Int("shrink", 1000, "how many runs may be spent on shrinking a random world that fails")
)

// This test runs random worlds on bad lines. The checks of Watch, events, messages and limits pass
// at every step, and soon after changes, faults and loss end, all worlds are equal.
//
// Proves: R1, R2, R3, R4, R5, R6, R7, R8, R9, R12, R13, R15, R19, R24, R25, R26, R27, R29, R30, R35, R36, R38, R41
// Proves: H1, H3, H5, H6, H8, H9, H10, P12, C7, C12
// Proves: N1, N3, N4, N7, N9, N11, N15, N16
// Proves: T4, T10, T11, T12, T13, E2, E4, L1, L2, L4
// Proves: V1, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V14, V15
func TestRandomWorlds(t *testing.T) {
	var failed atomic.Bool // a failure is being shrunk; the next one is probably the same
	n := *seeds
	if testing.Short() {
		n = (n + 4) / 5
	}
	var rare branchCounts
	t.Cleanup(func() { rare.checkCounts(t, n) })
	for seed := *fromSeed; seed < *fromSeed+n; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			steps := randomSteps(seed)
			var scene *randomScene
			err := try(steps, func(s *randomScene) { scene = s })
			if err == nil {
				rare.add(scene.rare)
				return
			}
			t.Errorf("seed %d: %v\nrepeat with: %s", seed, err, repeatCommand(seed))
			if !failed.Swap(true) {
				t.Error(report(steps, err, *shrink))
			}
		})
	}
}

// Clients with a low limit of early arrivals drop updates, and some leave because the limit is
// reached. The worlds are still equal in the end. Storms make both happen often. Dropped updates
// are counted over all connections of a client.
//
// Proves: R39
func TestRandomWorldsForNarrowClients(t *testing.T) {
	var dropped, left int
	for seed := uint64(1); seed <= narrowSeeds; seed++ {
		steps := plannedSteps(seed, rand.New(rand.NewPCG(seed, 0x73746f726d)))
		var scene *randomScene
		err := try(steps, func(s *randomScene) { scene = s })
		if err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, report(steps, err, *shrink))
			return
		}
		for _, g := range scene.guests {
			dropped += int(g.Client().Stats().Replication.Overflow)
		}
		left += scene.crowded
	}
	t.Logf("%d updates were dropped; %d times a client left", dropped, left)
	assert.Greater(t, dropped, 5)
	assert.GreaterOrEqual(t, left, 5)
}

// narrowSeeds is the number of worlds with such clients.
const narrowSeeds = 24

func repeatCommand(seed uint64) string {
	return fmt.Sprintf("go test ./netsim -count=1 -run '^TestRandomWorlds$' -seeds 1 -seed %d", seed)
}

// The scripts are worlds that failed in the past, as TestRandomWorlds printed them.
func TestRandomScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/random/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			script.Check(t, path, randomVerbs(t), false)
		})
	}
}

// hook is called with a new world, before anything happens in it.
type hook func(*randomScene)

// try runs the world of a script, and returns its failure.
func try(steps []string, hooks ...hook) error {
	return netsim.Try("TestRandomWorlds", func(t *netsim.Trial) {
		parsed, err := script.Parse("steps", strings.Join(steps, "\n"))
		require.NoError(t, err)
		if _, err := parsed.Run(randomVerbs(t, hooks...)); err != nil {
			t.Fatalf("%v", err)
		}
	})
}

// report shrinks steps that fail, and writes them as a script.
func report(steps []string, err error, attempts int, hooks ...hook) string {
	kind := kindOf(err)
	last := err
	short := script.Shrink(steps, attempts, func(steps []string) bool {
		err := try(steps, hooks...)
		if err == nil || kindOf(err) != kind {
			return false
		}
		last = err
		return true
	})
	return fmt.Sprintf("what is left of it, %d of %d steps, to be put into netsim/testdata/random:\n\n# %s\n%s\n",
		len(short), len(steps), headline(last), strings.Join(short, "\n"))
}

var (
	scriptPlace = regexp.MustCompile(`netsim: steps:\d+: [^:]*: `)
	testifySays = regexp.MustCompile(`(?m)^\s*(?:Error|Messages):(.*)$`)
	numbers     = regexp.MustCompile(`-?\d[\dµa-z.]*`)
)

// headline is a failure's first line, or its equivalent for a failure of testify.
func headline(err error) string {
	if found := testifySays.FindAllStringSubmatch(err.Error(), 2); found != nil {
		var words []string
		for _, match := range found {
			words = append(words, strings.TrimSpace(match[1]))
		}
		return strings.Join(words, ": ")
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

// kindOf is a failure's headline without the parts that differ from run to run: place, time, ids
// and values.
func kindOf(err error) string {
	return numbers.ReplaceAllString(scriptPlace.ReplaceAllString(headline(err), ""), "#")
}
