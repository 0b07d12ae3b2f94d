package netsim

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// SeedVariable is the environment variable with the seed of simulations that have none in their
// Config.
const SeedVariable = "ENTANGLE_SEED"

// defaultSeed is used if neither Config nor the environment sets a seed. It is fixed, so that a
// test fails on every machine or on none.
const defaultSeed = 1

// pickSeed returns the seed to use, and whether it comes from the environment or the default.
func pickSeed(config uint64) (seed uint64, free bool, err error) {
	if config != 0 {
		return config, false, nil
	}
	text := os.Getenv(SeedVariable)
	if text == "" {
		return defaultSeed, true, nil
	}
	seed, err = strconv.ParseUint(text, 10, 64)
	if err != nil || seed == 0 {
		return 0, true, fmt.Errorf("%s is %q; give a number above 0", SeedVariable, text)
	}
	return seed, true, nil
}

// repeat returns the command that repeats a failed test with the same seed.
func repeat(test string, seed uint64, free bool) string {
	var parts []string
	for part := range strings.SplitSeq(test, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	command := fmt.Sprintf("go test -count=1 -run '%s' .", strings.Join(parts, "/"))
	if free {
		command = fmt.Sprintf("%s=%d %s", SeedVariable, seed, command)
	}
	return command
}

// entropy returns a deterministic replacement for random bytes: each use gets its own bytes, the
// same in every run with that seed.
func entropy(seed, use uint64) *rand.ChaCha8 {
	var state [32]byte
	for i, word := range [...]uint64{seed, use, 0x656e74726f7079, 0} {
		for k := range 8 {
			state[i*8+k] = byte(word >> (8 * k))
		}
	}
	return rand.NewChaCha8(state)
}
