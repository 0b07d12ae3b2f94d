package input_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
)

var (
	seeds    = flag.Uint64("seeds", 20, "how many random runs to make")
	fromSeed = flag.Uint64("seed", 0, "the seed of the first random run")
)

// run makes random runs, and prints the command that repeats one that fails.
func run(t *testing.T, each func(t *testing.T, rng *rand.Rand)) {
	t.Helper()
	name := t.Name()
	for seed := *fromSeed; seed < *fromSeed+*seeds; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: go test ./internal/core/input -run '^%s$' -seeds 1 -seed %d", name, seed)
				}
			}()
			each(t, rand.New(rand.NewPCG(seed, 0)))
		})
	}
}
